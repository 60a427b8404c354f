"""One question at every point of a grid: inputs varied together, every option priced (F20, F21)."""
