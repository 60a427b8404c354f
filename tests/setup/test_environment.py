"""Set-up that fails says why in one line."""

from __future__ import annotations

import os
import shutil
import stat
from collections import namedtuple

import pytest

from scripts import environment


@pytest.fixture
def fake_python(tmp_path, monkeypatch):
    """A stand-in for the environment's Python whose pip prints what the test says and fails."""

    def make(output):
        script = tmp_path / "python"
        script.write_text(f"#!/bin/sh\ncat <<'END'\n{output}\nEND\nexit 1\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(environment, "PYTHON", script)
        monkeypatch.setattr(environment, "ROOT", tmp_path)

    return make


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("error: command 'gcc' failed: No such file or directory", "no C compiler is there"),
        ("ERROR: [Errno 28] No space left on device", "the disk is full"),
        ("WARNING: Retrying: Temporary failure in name resolution", "no package index"),
        ("ERROR: something new", "ERROR: something new"),
    ],
)
def test_a_failed_install_names_its_cause(fake_python, output, said):
    """A missing compiler, a full disk, no network: one line each, the log kept."""
    fake_python(output)
    with pytest.raises(environment.SetupError) as caught:
        environment.run_pip(["anything"])
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert (environment.ROOT / "var" / "pip.log").read_text().strip() == output


def test_a_full_disk_stops_before_anything_is_installed(tmp_path, monkeypatch, capsys):
    """Free space is looked at first."""
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(environment, "VENV", tmp_path)
    monkeypatch.setattr(environment, "make_venv", lambda: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 10, 10**8))
    assert environment.main(["web"]) == 1
    assert "0.1 GB free" in capsys.readouterr().out


def test_without_torch_set_up_goes_on(monkeypatch, capsys):
    """torch is wanted, not needed."""

    def fail(arguments):
        raise environment.SetupError("a package is not to be had from your package index")

    monkeypatch.setattr(environment, "run_pip", fail)
    environment.install("torch")
    assert "torch is not installed" in capsys.readouterr().out


def test_a_matching_stamp_skips_the_stage(tmp_path, monkeypatch):
    """The second run installs nothing."""
    monkeypatch.setattr(environment, "VENV", tmp_path)
    monkeypatch.setattr(environment, "make_venv", lambda: None)
    (tmp_path / ".web.stamp").write_text(environment.stage_stamp("web"))
    monkeypatch.setattr(environment, "install", lambda stage: pytest.fail(f"installed {stage}"))
    assert environment.main(["web"]) == 0


def test_the_environment_script_is_standard_library_only():
    """It runs before anything is installed."""
    text = (environment.ROOT / "scripts" / "environment.py").read_text()
    imports = {
        line.split()[1].split(".")[0]
        for line in text.splitlines()
        if line[:5] in {"impor", "from "}
    }
    assert imports <= {"__future__", "hashlib", "shutil", "subprocess", "sys", "time", "pathlib"}
    assert os.access(environment.ROOT / "Makefile", os.R_OK)
