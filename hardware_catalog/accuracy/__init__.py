"""The published accuracy of the performance model, as a page."""
