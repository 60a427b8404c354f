"""Send the waiting runs in order, oldest first, at a rate a server doesn't notice."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tco_agent.errors import ExitCode
from tco_agent.spool import Spool
from tco_agent.upload import Uploader

BYTES_PER_S = 4096


@dataclass
class Drained:
    """What became of the waiting runs, and the exit code that tells it."""

    done: int = 0
    rejected: int = 0
    left: int = 0
    exit_code: ExitCode = ExitCode.OK
    runs: list[dict[str, Any]] = field(default_factory=list)


def drain(
    spool: Spool,
    uploader: Uploader,
    note: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Drained:
    """Upload every waiting run; stop at the first that has to be kept.

    A refused run goes to rejected/ with the server's answer and never blocks the others.
    """
    result = Drained()
    pause_s = 0.0
    for entry in spool.entries():
        document = spool.read(entry)
        if document is None:
            note(f"run {entry.seq}: the spooled file is damaged and was put into corrupt/")
            continue
        if pause_s:
            sleep(pause_s)
        pause_s = entry.path.stat().st_size / BYTES_PER_S
        outcome = uploader.upload(document)
        note(f"run {entry.seq} ({entry.run_id}): {outcome.text}")
        members = outcome.answer.members()
        result.runs.append(
            {
                "run_id": entry.run_id,
                "seq": entry.seq,
                "outcome": outcome.kind,
                "status": outcome.answer.status,
                "verdict": members.get("verdict"),
                "url": members.get("url"),
            }
        )
        if outcome.kind == "done":
            spool.remove(entry)
            result.done += 1
        elif outcome.kind == "rejected":
            place = spool.reject(entry, outcome.answer.body)
            note(f"run {entry.seq}: kept with the server's answer in {place.parent}")
            result.rejected += 1
            result.exit_code = outcome.exit_code
        else:
            result.exit_code = outcome.exit_code
            break
    result.left = len(spool.entries())
    return result
