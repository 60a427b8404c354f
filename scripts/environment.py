"""Makes .venv with what is asked: web, torch, dev. Standard library only, any Python >= 3.11.

    python3 scripts/environment.py web torch [dev]

Each stage is skipped when its stamp matches the requirement files, so a second run is instant.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
CONSTRAINTS = ROOT / "requirements" / "constraints.txt"
NEEDED_GB = {"web": 1.5, "torch": 2.0, "dev": 1.5}
HINTS = {
    "No space left on device": "the disk is full: free some space and run again",
    "error: command 'gcc' failed": "a package must be compiled and no C compiler is there: "
    "install gcc and the Python headers, or use a Python version with ready wheels (3.11 to 3.13)",
    "Failed building wheel": "a package could not be built: install gcc and the Python headers, "
    "or use a Python version with ready wheels (3.11 to 3.13)",
    "Could not find a version": "a package is not to be had from your package index",
    "Temporary failure in name resolution": "no package index can be reached: check the network",
    "Max retries exceeded": "no package index can be reached: check the network",
    "Connection refused": "no package index can be reached: check the network",
}


class SetupError(Exception):
    """One clear line."""


def stage_stamp(stage: str) -> str:
    """Hash of what the stage installs."""
    digest = hashlib.sha256(sys.version.encode())
    for name in ("constraints.txt", f"{stage}.in"):
        path = ROOT / "requirements" / name
        digest.update(path.read_bytes() if path.exists() else b"")
    for project in (ROOT / "pyproject.toml", ROOT / "agent" / "pyproject.toml"):
        digest.update(project.read_bytes() if project.exists() else b"")
    return digest.hexdigest()


def run_pip(arguments: list[str]) -> None:
    """Run pip; a failure becomes one line with the cause."""
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "-q"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        return
    output = done.stdout + done.stderr
    log = ROOT / "var" / "pip.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text(output)
    for needle, hint in HINTS.items():
        if needle in output:
            raise SetupError(f"{hint} (details: {log.relative_to(ROOT)})")
    errors = [line for line in output.splitlines() if "ERROR" in line] or ["pip failed"]
    raise SetupError(f"{errors[-1]} (details: {log.relative_to(ROOT)})")


def make_venv() -> None:
    """Make the virtual environment."""
    if PYTHON.exists():
        return
    done = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True)
    if done.returncode != 0:
        shutil.rmtree(VENV, ignore_errors=True)
        raise SetupError(
            "Python cannot make a virtual environment: install its venv part "
            "(on Debian: apt-get install python3-venv)"
        )


def install(stage: str) -> None:
    """Install one stage."""
    if stage == "torch":
        try:
            run_pip(["-c", str(CONSTRAINTS), "-r", str(ROOT / "requirements" / "torch.in")])
        except SetupError as error:
            # The product works without it; only the benchmark of this machine is left out.
            print(f"        torch is not installed: {error}")
        return
    run_pip(["-c", str(CONSTRAINTS), "-r", str(ROOT / "requirements" / f"{stage}.in")])
    if stage == "web":
        run_pip(["hatchling", "editables", "-c", str(CONSTRAINTS)])
        run_pip(["--no-deps", "--no-build-isolation", "-e", ".", "-e", "agent"])


def main(stages: list[str]) -> int:
    """Install the stages; return an exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036 -- also run by an older Python, to say so
        print(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
        return 2
    try:
        make_venv()
        for stage in stages:
            stamp = VENV / f".{stage}.stamp"
            wanted = stage_stamp(stage)
            if stamp.exists() and stamp.read_text() == wanted:
                continue
            free_gb = shutil.disk_usage(ROOT).free / 1e9
            if free_gb < NEEDED_GB[stage]:
                raise SetupError(
                    f"{free_gb:.1f} GB free under {ROOT}, {NEEDED_GB[stage]} GB needed: "
                    "free some space and run again"
                )
            print(f"[setup] {stage}: installing into .venv ...", flush=True)
            start = time.monotonic()
            install(stage)
            stamp.write_text(wanted)
            print(f"[setup] {stage}: done in {time.monotonic() - start:.0f} s", flush=True)
    except SetupError as error:
        print(f"Set-up stopped: {error}.")
        return 1
    except OSError as error:
        print(f"Set-up stopped: {error.strerror or error}: {error.filename or ROOT}.")
        return 1
    except KeyboardInterrupt:
        print("Set-up stopped by Ctrl-C; run it again to go on.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["web"]))
