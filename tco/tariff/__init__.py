"""The electricity bill (F4)."""
