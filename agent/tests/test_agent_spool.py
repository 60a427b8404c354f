"""The spool survives any crash, keeps its order and its bounds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import tco_agent
from tco_agent.document import build_document, content_sha256, uuid7
from tco_agent.errors import AgentError, ExitCode
from tco_agent.spool import Spool
from tco_agent.state import State, locked, read_state, write_state

WRITER = """
import sys
from pathlib import Path
from tco_agent.document import content_sha256, uuid7
from tco_agent.spool import Spool
spool = Spool(Path(sys.argv[1]))
seq = 0
while True:
    seq += 1
    document = {"schema": "bench-run", "seq": seq, "run_id": uuid7(), "pad": "x" * 20000}
    document["integrity"] = {"content_sha256": content_sha256(document)}
    spool.add(document)
    print(seq, flush=True)
"""


def a_run(measured: dict[str, Any], seq: int, profile: str = "quick") -> dict[str, Any]:
    """A run with this number."""
    return build_document(
        run_id=uuid7(),
        seq=seq,
        prev_sha256=None,
        spool={"queued": 0, "dropped_runs": 0},
        **{**measured, "profile": profile},
    )


def test_a_run_comes_back_as_it_was(tmp_path: Path, measured: dict[str, Any]) -> None:
    """Stored, listed, read: the same document, in a file only its owner can read."""
    spool = Spool(tmp_path)
    document = a_run(measured, 7)
    entry = spool.add(document)
    assert spool.entries() == [entry]
    assert spool.read(entry) == document
    assert entry.path.stat().st_mode & 0o777 == 0o600
    assert entry.path.parent.stat().st_mode & 0o777 == 0o700


def test_runs_come_in_the_order_of_their_numbers(tmp_path: Path, measured: dict[str, Any]) -> None:
    """By number, not by the time of storing."""
    spool = Spool(tmp_path)
    for seq in (12, 3, 100):
        spool.add(a_run(measured, seq))
    assert [entry.seq for entry in spool.entries()] == [3, 12, 100]
    newest = spool.newest()
    assert newest is not None
    assert newest[0] == 100


def test_killed_at_any_moment_it_loses_no_finished_run(tmp_path: Path) -> None:
    """Killed eight times while it writes: all that was reported stored reads back whole."""
    chance = random.Random(7)
    root = str(Path(tco_agent.__file__).parent.parent)
    for attempt in range(8):
        state_dir = tmp_path / str(attempt)
        state_dir.mkdir()
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(state_dir)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": root},
            text=True,
        ) as writer:
            assert writer.stdout is not None
            reported = [int(writer.stdout.readline())]
            time.sleep(chance.uniform(0, 0.03))
            writer.send_signal(signal.SIGKILL)
            reported += [int(line) for line in writer.stdout.read().split()]
        spool = Spool(state_dir)
        entries = spool.entries()
        documents = [spool.read(entry) for entry in entries]
        assert None not in documents
        stored = [document["seq"] for document in documents if document is not None]
        assert stored[: len(reported)] == reported
        assert len(stored) <= len(reported) + 1


@pytest.mark.parametrize("damage", ["cut", "flip", "text", "other"])
def test_a_damaged_file_is_put_aside(tmp_path: Path, measured: dict[str, Any], damage: str) -> None:
    """Cut short, with changed bytes, not gzip, or with another content than its digest."""
    spool = Spool(tmp_path)
    entry = spool.add(a_run(measured, 1))
    data = entry.path.read_bytes()
    if damage == "other":
        changed = a_run(measured, 1)
        changed["label"] = "changed after sealing"
        entry.path.unlink()
        entry = spool.add({**changed, "run_id": entry.run_id})
    else:
        flipped = data[:60] + bytes([data[60] ^ 0xFF]) + data[61:]
        entry.path.write_bytes({"cut": data[:-20], "flip": flipped, "text": b"hello"}[damage])
    assert spool.read(entry) is None
    assert spool.entries() == []
    assert (tmp_path / "corrupt" / entry.path.name).exists()


def test_a_bomb_is_not_inflated(tmp_path: Path) -> None:
    """20 MB of zeros in a few kB are refused at the bound."""
    spool = Spool(tmp_path)
    big = {"schema": "bench-run", "seq": 1, "run_id": uuid7(), "pad": "0" * 20_000_000}
    big["integrity"] = {"content_sha256": content_sha256(big)}
    assert spool.read(spool.add(big)) is None


def test_when_full_the_oldest_canary_goes_first(tmp_path: Path, measured: dict[str, Any]) -> None:
    """Room for three: a quick run stays although it is older than the canary that goes."""
    spool = Spool(tmp_path, most_files=3)
    for seq, profile in ((1, "quick"), (2, "canary"), (3, "canary")):
        spool.add(a_run(measured, seq, profile))
    assert spool.make_room() == 1
    assert [entry.seq for entry in spool.entries()] == [1, 3]
    assert spool.make_room() == 0


def test_old_runs_are_dropped(tmp_path: Path, measured: dict[str, Any]) -> None:
    """Thirty days and a second later a waiting run is gone."""
    spool = Spool(tmp_path)
    spool.add(a_run(measured, 1))
    assert spool.make_room(time.time() + 29 * 86_400) == 0
    assert spool.make_room(time.time() + 30 * 86_400 + 5) == 1


def test_a_refused_run_lies_beside_its_answer(tmp_path: Path, measured: dict[str, Any]) -> None:
    """It leaves the queue and keeps the server's words."""
    spool = Spool(tmp_path)
    entry = spool.add(a_run(measured, 1))
    place = spool.reject(entry, b'{"title":"no"}')
    assert spool.entries() == []
    assert place.exists()
    assert place.with_name(place.name + ".problem.json").read_bytes() == b'{"title":"no"}'


def test_state_is_replaced_whole_and_read_again(tmp_path: Path) -> None:
    """A damaged or missing state is the first state of all."""
    assert read_state(tmp_path) == State()
    write_state(tmp_path, State(4, "a" * 64, 2))
    assert read_state(tmp_path) == State(4, "a" * 64, 2)
    (tmp_path / "state.json").write_text('{"seq": 4')
    assert read_state(tmp_path) == State()


def test_only_one_process_at_a_time(tmp_path: Path) -> None:
    """A second one is told which process holds the state; afterwards it is free again."""
    with locked(tmp_path):
        with pytest.raises(AgentError, match=f"process {os.getpid()}") as caught, locked(tmp_path):
            pass
        assert caught.value.exit_code == ExitCode.STATE
    with locked(tmp_path):
        pass
