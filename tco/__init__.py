"""The engine: numbers only. No Django, no network, no clock, no unseeded randomness."""

__version__ = "0.2.0"
