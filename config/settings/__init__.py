"""Settings: base, and one small file for each way to run."""
