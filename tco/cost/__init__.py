"""Money: one function per cost line, one monthly ledger, KPIs and thresholds."""
