"""Slots, feeds, cooling density and racks (F2.2, F2.6, F2.7, F3)."""
