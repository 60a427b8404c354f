"""The command line `tco`: the engine on scenario files, without a database."""
