"""The cheapest mix of machines: whole numbers, with proof, and what would change it (F1.9)."""
