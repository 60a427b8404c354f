"""Who: people, organisations, tokens."""
