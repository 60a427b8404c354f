"""`python -m tco_agent`, and the entry of the one-file build."""

from __future__ import annotations

from tco_agent.cli import main

if __name__ == "__main__":  # children import the package; only a direct start may run the suite
    raise SystemExit(main())
