"""What the hardware is, what it costs, what was measured."""
