"""How heat leaves: what servers take, part-load PUE, flow, spare and degraded units (F3)."""
