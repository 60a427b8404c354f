"""Public bug reports and complaints about such tools, each with the right value."""
