"""Vendor quotes on one bill of materials, levelled to equal scope."""
