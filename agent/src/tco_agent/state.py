"""The agent's memory between runs: sequence number, hash chain, dropped runs, and one lock."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tco_agent.errors import AgentError, ExitCode


@dataclass(frozen=True)
class State:
    """The last document written: its number and digest; and runs the spool had to drop."""

    seq: int = 0
    last_sha256: str | None = None
    dropped_runs: int = 0


def default_state_dir() -> Path:
    """$XDG_STATE_HOME/tco-agent, or ~/.local/state/tco-agent."""
    base = os.environ.get("XDG_STATE_HOME")
    root = Path(base) if base else Path.home() / ".local" / "state"
    return root / "tco-agent"


def make_private_dir(path: Path) -> None:
    """Create a directory only its owner can read; AgentError when that cannot be done."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        text = f"cannot write the state directory {path}: {error.strerror}; use --state-dir"
        raise AgentError(text, ExitCode.STATE) from None


def read_state(state_dir: Path) -> State:
    """The stored state; the first state of all when there is none or it's damaged.

    The chain then continues from the newest spooled document (see spool.Spool.newest).
    """
    try:
        stored = json.loads((state_dir / "state.json").read_text(encoding="utf-8"))
        last = stored["last_sha256"]
        return State(
            seq=int(stored["seq"]),
            last_sha256=None if last is None else str(last),
            dropped_runs=int(stored["dropped_runs"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return State()


def write_state(state_dir: Path, state: State) -> None:
    """Replace the stored state in one step that survives a crash."""
    write_durably(state_dir / "state.json", json.dumps(asdict(state)).encode())


def write_durably(path: Path, data: bytes) -> None:
    """Write a file so that after any crash the old or the new content is whole.

    Temporary file beside it, flushed to the disk, renamed, and the directory flushed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    flush_directory(path.parent)


def flush_directory(path: Path) -> None:
    """Flush a directory, so that a rename in it survives a crash."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked(state_dir: Path) -> Iterator[None]:
    """Only one process measures or uploads with a state directory at a time.

    The kernel drops the lock when the process ends, however it ends. AgentError when it's taken.
    """
    path = state_dir / "lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        text = f"cannot write the state directory {state_dir}: {error.strerror}; use --state-dir"
        raise AgentError(text, ExitCode.STATE) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(handle, 20).decode("ascii", "replace").strip() or "unknown"
            text = f"another tco-agent (process {owner}) uses {state_dir}; wait for it to end"
            raise AgentError(text, ExitCode.STATE) from None
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        os.close(handle)
