"""Measure what a machine really does for AI work, and upload the raw timings."""

from __future__ import annotations

__version__ = "0.1.0"
