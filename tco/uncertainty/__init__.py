"""Ranges of inputs carried to ranges of results, the same draws for every option (F21)."""
