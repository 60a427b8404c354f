"""A hall and its power tree: what fits, what binds, what a failure takes (F2.6 to F2.8)."""
