"""Runs that wait for the server: one gzip file each, ordered by number, safe against any crash."""

from __future__ import annotations

import gzip
import re
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tco_agent.document import Document, content_sha256, from_bytes, to_bytes
from tco_agent.state import flush_directory, make_private_dir, write_durably

MOST_FILES = 500
MOST_BYTES = 64 * 2**20
MOST_AGE_S = 30 * 86_400
MOST_INFLATED_BYTES = 8 * 2**20
_NAME = re.compile(r"(\d{10})-([0-9a-f-]{36})\.json\.gz")


@dataclass(frozen=True)
class Entry:
    """One waiting run."""

    path: Path
    seq: int
    run_id: str


class Spool:
    """The directories spool/, rejected/ and corrupt/ below a state directory."""

    def __init__(
        self,
        state_dir: Path,
        *,
        most_files: int = MOST_FILES,
        most_bytes: int = MOST_BYTES,
        most_age_s: float = MOST_AGE_S,
    ) -> None:
        self._dir = state_dir / "spool"
        self._rejected = state_dir / "rejected"
        self._corrupt = state_dir / "corrupt"
        self._most_files = most_files
        self._most_bytes = most_bytes
        self._most_age_s = most_age_s

    def entries(self) -> list[Entry]:
        """Waiting runs in the order of their numbers."""
        found = []
        for path in self._dir.glob("*.json.gz"):
            match = _NAME.fullmatch(path.name)
            if match:
                found.append(Entry(path, int(match[1]), match[2]))
        return sorted(found, key=lambda entry: (entry.seq, entry.run_id))

    def add(self, document: Mapping[str, Any]) -> Entry:
        """Store a run; after this returns, no crash can lose it."""
        make_private_dir(self._dir)
        seq, run_id = int(document["seq"]), str(document["run_id"])
        path = self._dir / f"{seq:010d}-{run_id}.json.gz"
        write_durably(path, gzip.compress(to_bytes(document), mtime=0))
        return Entry(path, seq, run_id)

    def read(self, entry: Entry) -> Document | None:
        """The run of an entry; None after moving a damaged file to corrupt/."""
        try:
            document = from_bytes(_inflate(entry.path.read_bytes()))
            if content_sha256(document) != document["integrity"]["content_sha256"]:
                raise ValueError("the digest does not fit the content")
        except (OSError, ValueError, KeyError, TypeError, EOFError, zlib.error):
            self._move(entry, self._corrupt)
            return None
        return document

    def newest(self) -> tuple[int, str] | None:
        """Number and digest of the newest readable run, to continue the chain after a crash."""
        for entry in reversed(self.entries()):
            document = self.read(entry)
            if document is not None:
                return entry.seq, str(document["integrity"]["content_sha256"])
        return None

    def remove(self, entry: Entry) -> None:
        """Forget a run the server has taken."""
        entry.path.unlink(missing_ok=True)
        flush_directory(self._dir)

    def reject(self, entry: Entry, problem: bytes) -> Path:
        """Put a run aside with the server's answer; it's never sent again. The run's new place."""
        make_private_dir(self._rejected)
        write_durably(self._rejected / f"{entry.path.name}.problem.json", problem)
        return self._move(entry, self._rejected)

    def _move(self, entry: Entry, to: Path) -> Path:
        make_private_dir(to)
        target = to / entry.path.name
        entry.path.replace(target)
        flush_directory(to)
        flush_directory(self._dir)
        return target

    def make_room(self, now_s: float | None = None) -> int:
        """Drop runs beyond the bounds, oldest canary first; how many were dropped."""
        now = time.time() if now_s is None else now_s
        dropped = 0
        for entry in self.entries():
            if now - entry.path.stat().st_mtime > self._most_age_s:
                self.remove(entry)
                dropped += 1
        while self._is_full():
            entries = self.entries()
            if not entries:
                break
            canaries = (entry for entry in entries if self._profile(entry) == "canary")
            self.remove(next(canaries, entries[0]))
            dropped += 1
        return dropped

    def _is_full(self) -> bool:
        """No room for one more file, or too many bytes."""
        entries = self.entries()
        size = sum(entry.path.stat().st_size for entry in entries)
        return len(entries) >= self._most_files or size >= self._most_bytes

    def _profile(self, entry: Entry) -> str | None:
        try:
            return str(from_bytes(_inflate(entry.path.read_bytes())).get("profile"))
        except (OSError, ValueError, EOFError, zlib.error):
            return None


def _inflate(data: bytes) -> bytes:
    """Decompress within a bound; ValueError beyond it."""
    machine = zlib.decompressobj(wbits=31)
    out = machine.decompress(data, MOST_INFLATED_BYTES)
    if machine.unconsumed_tail:
        raise ValueError("the file inflates beyond the limit")
    if not machine.eof:
        raise ValueError("the file is cut short")
    return out
