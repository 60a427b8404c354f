"""The shared store: its servers, and the time of checkpoints, model loading and input (P12)."""
