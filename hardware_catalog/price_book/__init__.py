"""The price book: what was agreed with suppliers, over list prices."""
