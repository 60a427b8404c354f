"""Every way to serve a model on a server, ranked (P8, P6.5)."""
