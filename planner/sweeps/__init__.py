"""Sweeps of a scenario's inputs, shared among workers."""
