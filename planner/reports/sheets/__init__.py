"""One file for each sheet of the workbook."""
