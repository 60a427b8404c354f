"""Whole scenario documents from a seed, and what to do with one that breaks an invariant."""
