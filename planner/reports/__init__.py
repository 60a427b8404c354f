"""Workbook and CSV: views of a stored projection, nothing computed anew."""
