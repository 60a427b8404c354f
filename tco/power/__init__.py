"""Watts of devices, servers and fleets (F2)."""
