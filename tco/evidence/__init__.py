"""How near the model is to what was measured: rows, predictions, scores (P13, P16)."""
