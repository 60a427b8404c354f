"""The agent and the server hold the same contract."""

from __future__ import annotations

from pathlib import Path

from hardware_catalog.benchmarks import contract
from tests.data.clean_bench_run import clean_document

ROOT = Path(__file__).resolve().parent.parent.parent


def test_schema_copies_are_byte_identical():
    """One schema, two places: each side is packed without the other."""
    ours = contract.SCHEMA_PATH.read_bytes()
    theirs = (ROOT / "agent/src/tco_agent/schema/bench_run.v1.json").read_bytes()
    assert ours == theirs


def test_agent_and_server_compute_the_same_digest():
    """The canonical form is written twice and must be the same, also for odd floats and text."""
    from tco_agent.document import content_sha256

    document = clean_document()
    document["odd"] = [1e22, 0.1, 1e-7, -0.0, 10**17, "µ\u2028é😀", None, True, {"b": 1, "a": 2}]
    assert contract.content_sha256(document) == content_sha256(document)
