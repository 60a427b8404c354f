"""The parent side of the child processes: start, ask with a deadline, end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tco_agent.child import Channel
from tco_agent.errors import AgentError, ExitCode
from tco_agent.torch_import import NO_TORCH

IMPORT_LIMIT_S = 300.0
CONTROL_LIMIT_S = 10.0
# The package may lie in a directory or inside the one-file build; both can stand on sys.path.
PACKAGE_ROOT = str(Path(__file__).resolve().parent.parent)
BOOT = (
    "import sys; sys.path[0] = sys.argv.pop(1); "
    "from tco_agent.child import main; main(sys.argv[1:])"
)


class WorkerEnded(Exception):
    """The child process died; the text says how."""


class WorkerTimeout(Exception):
    """No answer in time; the child was killed."""


class TorchHost:
    """The clean process with torch imported, from which the families' processes are forked."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", BOOT, PACKAGE_ROOT, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C reaches the parent only, which then ends it all
            )
        finally:
            theirs.close()
        self._control = Channel(ours)
        self.import_ns = 0
        self.torch_version = ""

    def wait_until_ready(self) -> None:
        """Wait for the import of torch; AgentError when it fails."""
        self._control.sock.settimeout(IMPORT_LIMIT_S)
        try:
            ready = self._control.receive()
        except TimeoutError:
            text = f"importing torch took more than {IMPORT_LIMIT_S:.0f} s"
            raise AgentError(text, ExitCode.NOTHING_MEASURED) from None
        if ready is None:
            raise AgentError(
                "the measuring process ended while it imported torch", ExitCode.NOTHING_MEASURED
            )
        if "error" in ready:
            raise AgentError(f"{NO_TORCH} ({ready['error']})", ExitCode.NO_TORCH)
        self.import_ns = int(ready["import_ns"])
        self.torch_version = str(ready["torch"])

    def start(self, order: dict[str, Any]) -> Worker:
        """Fork a process for one family."""
        ours, theirs = socket.socketpair()
        try:
            message = json.dumps({"do": "fork", **order}).encode()
            socket.send_fds(self._control.sock, [message], [theirs.fileno()])
            answer = self._ask_control()
        except (OSError, WorkerEnded):
            ours.close()
            raise WorkerEnded("the measuring process ended") from None
        finally:
            theirs.close()
        return Worker(self, int(answer["pid"]), Channel(ours))

    def how_it_ended(self, pid: int) -> str:
        """How a child that is gone came to its end."""
        try:
            self._control.sock.sendall(json.dumps({"do": "reap", "pid": pid}).encode())
            return str(self._ask_control()["end"])
        except (OSError, WorkerEnded):
            return "unknown end"

    def _ask_control(self) -> dict[str, Any]:
        self._control.sock.settimeout(CONTROL_LIMIT_S)
        answer = self._control.receive()
        if answer is None:
            raise WorkerEnded("the measuring process ended")
        return answer

    def close(self) -> None:
        """End the process and, through it, every child."""
        self._control.sock.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class Worker:
    """One family's process on one device."""

    def __init__(self, host: TorchHost, pid: int, channel: Channel) -> None:
        self.pid = pid
        self._host = host
        self._channel = channel
        self._open = True

    def ask(self, request: dict[str, Any], limit_ns: int) -> dict[str, Any]:
        """One request and its answer; WorkerTimeout or WorkerEnded otherwise."""
        try:
            self._channel.send(request)
        except OSError:
            raise WorkerEnded(self._end()) from None
        return self.receive(limit_ns)

    def receive(self, limit_ns: int) -> dict[str, Any]:
        """The next message within the limit; the child is killed when it does not come."""
        limit_s = max(0.05, limit_ns / 1e9)
        deadline = time.monotonic() + limit_s
        self._channel.sock.settimeout(limit_s)
        try:
            answer = self._channel.receive()
        except TimeoutError:
            self.kill()
            raise WorkerTimeout(f"no answer within {limit_s:.1f} s") from None
        except OSError:
            raise WorkerEnded(self._end()) from None
        if answer is None:
            raise WorkerEnded(self._end())
        if time.monotonic() > deadline + limit_s:
            self.kill()
            raise WorkerTimeout(f"no answer within {limit_s:.1f} s")
        return answer

    def kill(self) -> None:
        """End the child at once."""
        if self._open:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._end()

    def _end(self) -> str:
        if not self._open:
            return "already ended"
        self._open = False
        self._channel.sock.close()
        return self._host.how_it_ended(self.pid)
