"""The child side: one clean process imports torch, then forks one process for each family.

The parent starts it as a fresh interpreter (never as a fork of itself) with an argument list, so
nothing of the suite can run twice. It imports torch once and runs no operation, so a fork of it is
as clean as a fresh process and costs neither the import nor its memory again. Messages are JSON,
one on a line, over sockets; standard output is never used, because libraries print there.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from tco_agent.bench.base import DeviceView
from tco_agent.device.base import Backend
from tco_agent.host_facts import read_text
from tco_agent.measure import CaseRunner, Limits
from tco_agent.torch_import import load_torch

CRASH_EXIT = 70


class Channel:
    """JSON messages over a socket, one on a line."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._rest = b""

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        self.sock.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def receive(self) -> dict[str, Any] | None:
        """The next message, or None at the end; TimeoutError by the socket's timeout."""
        while b"\n" not in self._rest:
            data = self.sock.recv(1 << 16)
            if not data:
                return None
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message


def main(argv: list[str]) -> None:
    """Serve the parent over the inherited socket `argv[0]` until it closes."""
    control_socket = socket.socket(fileno=int(argv[0]))
    control = Channel(control_socket)
    start = time.perf_counter_ns()
    try:
        torch = load_torch()
    except (ImportError, OSError) as error:
        control.send({"error": f"{type(error).__name__}: {error}"[:400]})
        return
    control.send({"import_ns": time.perf_counter_ns() - start, "torch": str(torch.__version__)})
    children: set[int] = set()
    try:
        while True:
            data, fds, _, _ = socket.recv_fds(control_socket, 1 << 16, 1)
            if not data:
                return
            order = json.loads(data)
            if order["do"] == "fork":
                pid = _fork(torch, control_socket, fds[0], order)
                children.add(pid)
                control.send({"pid": pid})
            else:
                control.send({"end": _reap(order["pid"], children)})
    finally:
        for pid in children:
            _kill(pid)
        # Unloading torch takes a second or more, and there is nothing left to tidy up.
        os._exit(0)


def _fork(torch: Any, control: socket.socket, fd: int, order: dict[str, Any]) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        os.close(fd)
        return pid
    code = CRASH_EXIT
    try:
        control.close()
        serve(torch, Channel(socket.socket(fileno=fd)), order)
        code = 0
    except BaseException as error:  # the process ends here whatever happened
        print(f"tco-agent child: {type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(code)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    _wait(pid)


def _wait(pid: int) -> int | None:
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return None


def _reap(pid: int, children: set[int]) -> str:
    """End a child for good and say how it ended."""
    status = _wait(pid) if pid in children else None
    children.discard(pid)
    if status is None:
        return "unknown end"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"signal {number} ({signal.Signals(number).name})"
    return f"exit code {os.WEXITSTATUS(status)}"


def serve(torch: Any, channel: Channel, order: dict[str, Any]) -> None:
    """Answer the parent's requests for one family on one device."""
    if order["family"] == "facts":
        channel.send(torch_facts(torch))
        return
    view = DeviceView(
        key=order["device"]["key"],
        kind=order["device"]["kind"],
        threads=tuple(order["device"]["threads"]),
        llc_bytes=order["device"]["llc_bytes"],
        free_bytes=order["device"]["free_bytes"],
    )
    if view.kind == "cpu":
        cap_memory(order["memory_bytes"])
    from tco_agent.bench import FAMILIES

    backend = _backend(torch, view.kind, order)
    with torch.inference_mode():
        runner = CaseRunner(FAMILIES[order["family"]], backend, torch, view)
        while (request := channel.receive()) is not None:
            if request["do"] == "prepare":
                limits = Limits(call_ns=request["call_ns"], warmup_ns=request["warmup_ns"])
                answer = runner.prepare(request["key"], request["params"], limits)
            else:
                answer = runner.block(request["key"], request["samples"], request["limit_ns"])
            channel.send(answer)


def _backend(torch: Any, kind: str, order: dict[str, Any]) -> Backend:
    if kind == "cpu":
        from tco_agent.device.cpu import CpuBackend

        return CpuBackend(torch)
    from tco_agent.device.cuda import CudaBackend

    backend = CudaBackend(torch, order["index"])
    torch.cuda.set_per_process_memory_fraction(order["memory_fraction"], order["index"])
    return backend


def cap_memory(extra_bytes: int) -> int:
    """Let this process take at most `extra_bytes` more private memory; the limit set [bytes].

    RLIMIT_DATA and not RLIMIT_AS: torch maps its libraries and reserves address space far beyond
    what it uses, and a limit on address space would fail where memory is plenty.
    """
    used = 1 << 30
    for line in (read_text(Path("/proc/self/status")) or "").splitlines():
        if line.startswith("VmData:"):
            used = int(line.split()[1]) * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = used + extra_bytes
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    return limit


def torch_facts(torch: Any) -> dict[str, Any]:
    """Versions, settings and GPUs as torch reports them."""
    from tco_agent.device.cuda import gpu_rows

    gpus: list[dict[str, Any]] = []
    gpu_error = None
    try:
        gpus = gpu_rows(torch)
    except (RuntimeError, AssertionError) as error:
        gpu_error = (str(error).splitlines() or ["unknown"])[0][:200]
    mkl = bool(torch.backends.mkl.is_available())
    return {
        "torch": str(torch.__version__),
        "torch_git": str(torch.version.git_version),
        "cuda": torch.version.cuda,
        "hip": torch.version.hip,
        "blas": "mkl" if mkl else "other",
        "python": platform.python_version(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "settings": {
            "threads": torch.get_num_threads(),
            "deterministic": bool(torch.are_deterministic_algorithms_enabled()),
            "matmul_precision": torch.get_float32_matmul_precision(),
            "cudnn_benchmark": bool(torch.backends.cudnn.benchmark),
        },
        "gpus": gpus,
        "gpu_error": gpu_error,
    }
