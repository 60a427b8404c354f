"""A hall with its power tree: what physically fits, what binds, what a failure takes (F2.6-F2.8)."""
