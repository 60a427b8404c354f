"""`make demo`: from an empty folder to the served site, each step shown, all ended by Ctrl-C."""

from __future__ import annotations

import argparse
import errno
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import traceback
import urllib.request
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.chdir(ROOT)

from config import local_services  # noqa: E402 -- the path is set above

BIN = Path(sys.executable).parent
VAR = local_services.VAR_DIR
EMAIL = "demo@example.org"
ORGANISATION = "Demo"


class DemoError(Exception):
    """One clear line."""


class Demo:
    """The processes that the demo starts, and the steps it takes."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.children: list[tuple[str, subprocess.Popen[bytes]]] = []
        self.steps = 0
        self.started = time.monotonic()

    def step(self, title: str, work: Callable[[], str | None]) -> None:
        """Do one step and print how long it took."""
        self.steps += 1
        print(f"[{self.steps}/9] {title} ...", end="", flush=True)
        start = time.monotonic()
        note = work()
        took = time.monotonic() - start
        print(f" {note or 'done'} ({took:.1f} s)", flush=True)

    def start(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        """Start a child in its own session, its output in var/NAME.log."""
        log = (VAR / f"{name}.log").open("ab")
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self.children.append((name, process))
        return process

    def manage(self, *arguments: str) -> str:
        """Run a management command in this process; its failure is one line."""
        from django.core.management import call_command

        out = io.StringIO()
        try:
            call_command(*arguments, stdout=out, stderr=out, no_color=True)
        except Exception as error:
            (VAR / "manage.log").write_text(traceback.format_exc())
            text = str(error).strip() or type(error).__name__
            line = text.splitlines()[0]
            raise DemoError(f"{arguments[0]} failed: {line} (see var/manage.log)") from error
        return out.getvalue().strip()

    def check_machine(self) -> str | None:
        """Refuse early: disk, port."""
        VAR.mkdir(parents=True, exist_ok=True)
        free_gb = shutil.disk_usage(VAR).free / 1e9
        if free_gb < 0.5:
            raise DemoError(f"only {free_gb:.2f} GB free under {VAR}; 0.5 GB is needed")
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                sock.bind(("127.0.0.1", self.port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                raise DemoError(
                    f"port {self.port} is taken: end what uses it, or run make demo "
                    f"PORT={self.port + 1}"
                ) from None
        return f"{free_gb:.0f} GB free, port {self.port} free"

    def database(self) -> str | None:
        """Start PostgreSQL and bring the schema up to date."""
        for name, value in local_services.local_defaults().items():
            os.environ.setdefault(name, value)
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.local"
        import django

        django.setup()
        self.manage("migrate", "-v0")
        return "PostgreSQL up, schema current"

    def queue(self) -> str | None:
        """Start Redis and one Celery worker."""
        port = local_services.free_port()
        self.children.append(("redis", local_services.start_redis(port, VAR / "redis")))
        os.environ["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{port}/0"
        self.start(
            "worker",
            [str(BIN / "celery"), "-A", "config", "worker", "-l", "warning", "--concurrency", "1"],
        )
        return "Redis and one worker up"

    def web(self) -> str | None:
        """Serve the site and wait until it answers."""
        self.start(
            "web",
            [
                str(BIN / "gunicorn"),
                "config.wsgi:application",
                *("--bind", f"127.0.0.1:{self.port}", "--workers", "2", "--threads", "4"),
                *("--max-requests", "5000", "--access-logfile", str(VAR / "access.log")),
            ],
        )
        for _ in range(150):
            self.check_children()
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as answer:
                    if answer.status == 200:
                        return f"answers on {self.url}"
            except OSError:
                time.sleep(0.2)
        raise DemoError("the site did not answer within 30 s (see var/web.log)")

    def benchmark(self) -> str | None:
        """Measure this machine and upload the run through the API."""
        done_marker = VAR / "demo-benchmark.done"
        if done_marker.exists():
            return f"already measured ({done_marker.read_text().strip()})"
        token_file = VAR / "demo-agent.token"
        if not token_file.exists():
            self.manage(
                "token_create",
                *("--organisation", ORGANISATION, "--label", "Demo agent", "--scope", "upload"),
                *("--file", str(token_file)),
            )
        print()
        done = subprocess.run(
            [
                str(BIN / "tco-agent"),
                *("run", "--profile", "quick", "--upload", self.url),
                *("--token-file", str(token_file), "--state-dir", str(VAR / "agent")),
            ],
            start_new_session=True,
        )
        if done.returncode == 3:
            return (
                "torch is not here, so nothing is measured: this machine's GEMM rates, memory "
                "bandwidth and launch time stay assumed (install torch==2.13.0 and run again)"
            )
        if done.returncode != 0:
            return (
                f"tco-agent ended with code {done.returncode}: the device figures of this "
                "machine stay assumed"
            )
        self.manage("refresh_pending")
        done_marker.write_text(time.strftime("%Y-%m-%d %H:%M"))
        return f"      {self.verdict()}"

    def verdict(self) -> str:
        """Say what the newest run is worth: how much of it is trusted, and what is used."""
        from hardware_catalog.models import BenchmarkRun, Measurement, ThroughputFigure

        run = BenchmarkRun.objects.order_by("-pk").first()
        measurements = Measurement.objects.filter(run=run)
        trusted = measurements.filter(verdict="trusted").count()
        used = ThroughputFigure.objects.filter(current=True).count()
        if run is not None and used:
            return (
                f"measured and uploaded: {trusted} of {measurements.count()} measurements trusted, "
                f"{used} figures in use by the last example"
            )
        return (
            f"measured and uploaded, but judged {run.verdict if run else 'nothing'}, as on a busy "
            "machine: it is shown and not used, so this machine's GEMM rates, memory bandwidth "
            "and launch time stay assumed. Measure again when it is quiet:\n"
            f"        .venv/bin/tco-agent run --profile quick --upload {self.url} "
            f"--token-file {VAR / 'demo-agent.token'}\n       "
        )

    def examples(self) -> str | None:
        """Load and project the example scenarios."""
        output = self.manage("load_examples", "--organisation", ORGANISATION, "--by", EMAIL)
        return output.splitlines()[-1] if output else None

    def sign_in(self) -> str:
        """Return a one-time sign-in address."""
        return self.url + self.manage(
            "sign_in_link", EMAIL, "--create", "--organisation", ORGANISATION
        )

    def check_children(self) -> None:
        """Fail when a child has ended."""
        for name, process in self.children:
            if process.poll() is not None:
                raise DemoError(f"{name} ended by itself (see var/{name}.log)")

    def run(self) -> None:
        """Take every step, then serve until Ctrl-C."""
        self.step("This machine", self.check_machine)
        self.step("Database", self.database)
        self.step("Catalog", lambda: self.manage("load_seed_catalog").splitlines()[-1])
        self.step("Demo organisation", lambda: self.sign_in() and f"{EMAIL} in {ORGANISATION}")
        self.step("Queue", self.queue)
        self.step("Site", self.web)
        self.step("Benchmark of this machine", self.benchmark)
        self.step("Example scenarios", self.examples)
        link = self.sign_in()
        self.steps += 1
        took = time.monotonic() - self.started
        print(f"[{self.steps}/9] Serving after {took:.0f} s. Ctrl-C stops everything.\n")
        print(f"    Open    {self.url}/   (the estimate needs no account)")
        print(f"    Sign in {link}   (once, within 15 minutes; make demo prints a new one)\n")
        while True:
            time.sleep(1)
            self.check_children()

    def stop(self) -> None:
        """End what was started, newest first, then the database."""
        for _, process in reversed(self.children):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 10
        for name, process in reversed(self.children):
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                print(f"{name} did not end; killing it")
                process.kill()
        local_services.stop_postgres()


def main() -> int:
    """Run the demo; return an exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    demo = Demo(parser.parse_args().port)
    # A shell that starts this in the background has Ctrl-C ignored: take it back.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    code = 0
    try:
        demo.run()
    except KeyboardInterrupt:
        print("\nStopping ...")
    except DemoError as error:
        print(f"\nThe demo stopped: {error}.")
        code = 1
    except OSError as error:
        full = error.errno == errno.ENOSPC
        print(f"\nThe demo stopped: {'the disk is full' if full else error}.")
        code = 1
    finally:
        demo.stop()
    print("All stopped.")
    return code


if __name__ == "__main__":
    sys.exit(main())
