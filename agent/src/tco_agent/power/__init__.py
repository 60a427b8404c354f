"""Energy sources. A source that cannot be read is unavailable with its reason, never 0."""
