"""Kinds of catalog entries as the command line names them."""

from __future__ import annotations

PLURALS = {
    "devices": "device",
    "servers": "server",
    "offers": "offer",
    "models": "model",
    "regions": "region",
    "cooling": "cooling",
    "racks": "rack",
    "feeds": "feed",
    "support": "framework",
}
