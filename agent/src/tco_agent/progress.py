"""Progress on standard error: one line that is rewritten, plain lines, or JSON lines."""

from __future__ import annotations

import json
import sys
import time
from typing import TextIO

PLAIN_EVERY_S = 2.0


class Progress:
    """Called with what runs now, the share that is done (0..1) and the time that is left [s]."""

    def __init__(self, *, as_json: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._as_json = as_json
        self._rewrites = not as_json and self._stream.isatty()
        self._last_s = 0.0
        self._open_line = False

    def __call__(self, text: str, share: float, left_s: float) -> None:
        now = time.monotonic()
        pause_s = 0.1 if self._rewrites else PLAIN_EVERY_S
        if self._last_s and now - self._last_s < pause_s:
            return
        self._last_s = now
        if self._as_json:
            self.event("progress", doing=text, done_fraction=round(share, 3), left_s=round(left_s))
            return
        line = f"[{share * 100:3.0f} %] {text} (about {left_s:.0f} s left)"
        if self._rewrites:
            self._stream.write(f"\r\x1b[K{line[:100]}")
            self._open_line = True
        else:
            self._stream.write(line + "\n")
        self._stream.flush()

    def note(self, text: str) -> None:
        """A line that stays."""
        if self._as_json:
            self.event("note", text=text)
            return
        if self._open_line:
            self._stream.write("\r\x1b[K")
            self._open_line = False
        self._stream.write(text + "\n")
        self._stream.flush()

    def event(self, kind: str, **members: object) -> None:
        """One JSON line."""
        self._stream.write(json.dumps({"event": kind, **members}) + "\n")
        self._stream.flush()
