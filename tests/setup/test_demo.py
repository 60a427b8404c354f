"""The demo refuses early and clearly, and ends what it started."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def _demo(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "scripts/demo.py", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )


def test_a_busy_port_is_one_clear_line(tmp_path):
    """The line names the port and the way out; nothing was started."""
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        done = _demo("--port", str(port), TCO_VAR_DIR=str(tmp_path / "var"))
    assert done.returncode == 1
    assert f"port {port} is taken" in done.stdout
    assert f"make demo PORT={port + 1}" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert not (tmp_path / "var" / "postgres").exists()


def test_an_unwritable_folder_is_one_clear_line(tmp_path):
    """A var/ that cannot be made stops the demo without a traceback."""
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    done = _demo("--port", "0", TCO_VAR_DIR=str(blocker / "var"))
    assert done.returncode == 1
    assert "The demo stopped" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
