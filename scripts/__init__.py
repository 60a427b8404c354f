"""Set-up and demo: run by make."""
