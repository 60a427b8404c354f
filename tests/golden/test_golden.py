"""Numbers move only when somebody says so."""

from __future__ import annotations

import pytest

from tests.golden.compare import current, examples, moved, stored


@pytest.mark.parametrize("path", examples(), ids=lambda path: path.stem)
def test_examples_give_the_accepted_numbers(path):
    """An example's figures equal the accepted ones; see `make golden`."""
    accepted = stored(path)
    assert accepted, f"no accepted numbers for {path.name}: run make golden ACCEPT=1"
    assert not moved(accepted, current(path))
