"""Replicas under load, one iteration at a time: arrivals, queues, percentiles (P6, P7, P9)."""
