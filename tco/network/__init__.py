"""Networks between servers: switches, links, optics, power, and what they do to a step (F7)."""
