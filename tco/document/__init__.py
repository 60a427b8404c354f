"""The scenario document: YAML or JSON as people write it, resolved against a catalog."""
