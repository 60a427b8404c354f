"""The agent as one file, built out of agent/src when first asked for.

It is built in a process of its own: nothing of the agent is imported here.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

FILE_NAME = "tco-agent.pyz"
BUILD_SECONDS = 60


class AgentNotBuilt(Exception):
    """The agent's source is not there, or does not build."""


@dataclass(frozen=True, slots=True)
class Zipapp:
    """The file and its SHA-256 in hex."""

    path: Path
    sha256: str


_built: dict[Path, tuple[int, Zipapp]] = {}


def _source() -> Path:
    return Path(settings.BASE_DIR) / "agent" / "src" / "tco_agent"


def agent_zipapp() -> Zipapp:
    """Return the agent, built if its source changed since.

    Raises AgentNotBuilt, with the reason, when this installation has no agent to give.
    """
    source = _source()
    builder = source / "build_zipapp.py"
    if not builder.is_file():
        raise AgentNotBuilt("The source of the agent is not part of this installation.")
    newest = max(path.stat().st_mtime_ns for path in source.rglob("*") if path.suffix != ".pyc")
    path = Path(settings.VAR_DIR) / "agent" / FILE_NAME
    known = _built.get(path)
    if known and known[0] == newest and path.is_file():
        return known[1]
    if not path.is_file() or path.stat().st_mtime_ns < newest:
        _build(path)
    zipapp = Zipapp(path, hashlib.sha256(path.read_bytes()).hexdigest())
    _built[path] = (newest, zipapp)
    return zipapp


def _build(path: Path) -> None:
    """Build beside the target and move it there, so that nobody is served half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".pyz")
    os.close(handle)
    beside = Path(name)
    try:
        subprocess.run(
            [sys.executable, "-m", "tco_agent.build_zipapp", str(beside)],
            check=True,
            capture_output=True,
            timeout=BUILD_SECONDS,
            cwd=path.parent,
            env={**os.environ, "PYTHONPATH": str(_source().parent)},
        )
        beside.chmod(0o644)
        beside.replace(path)
    except subprocess.CalledProcessError as error:
        tail = error.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise AgentNotBuilt(f"The agent did not build: {' '.join(tail)}") from None
    except (subprocess.TimeoutExpired, OSError) as error:
        raise AgentNotBuilt(f"The agent did not build: {error}") from None
    finally:
        beside.unlink(missing_ok=True)
