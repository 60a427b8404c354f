"""What stands already, from other systems and back: NetBox tables, Kubernetes nodes."""
