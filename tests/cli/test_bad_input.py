"""Bad input on the command line: field, value and mend on standard error, never a traceback."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import main

ROOT = Path(__file__).resolve().parents[2]
DEVICE_LINE = "        device: h100-sxm                            # this server takes several\n"
CHAT = (ROOT / "examples" / "chat.yaml").read_text(encoding="utf-8")


def fails(capsys, path):
    """Lines on standard error of a file that cannot be used, by project and by check."""
    said = []
    for command in ("project", "check"):
        assert main([command, str(path)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "Traceback" not in captured.err
        said.append(captured.err)
    assert said[0] == said[1]
    return said[0].splitlines()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "slot_w: 1000",
            'slot_w: "-5 kW"',
            "sites[0].slot_w: -5 kW is below 1 W; enter 1 W or more",
        ),
        (
            "device: h100-sxm ",
            "device: h100_sxm ",
            "options[0].fleets[0].device: the catalog has no device 'h100_sxm'; "
            "did you mean 'h100-sxm' or 'h200-sxm'?",
        ),
        (
            "        site: ashburn\n        server: supermicro-sys",
            "        site: ashburn\n        count: 0\n        server: supermicro-sys",
            "options[0].fleets[0].count: 0 is below 1; enter 1 or more, or leave it out: "
            "sized to meet the targets",
        ),
        (
            "input_tokens: 1000",
            "input_tokens: .nan",
            "workloads[0].input_tokens: nan is not a finite number; enter a number",
        ),
        (
            "input_tokens: 1000",
            "input_tokens: 1e308",
            "workloads[0].input_tokens: 1e+308 is beyond any use; enter 1e+15 or less",
        ),
        ("currency: USD", "curency: USD", "finance.curency: unknown key; did you mean 'currency'?"),
        (
            DEVICE_LINE,
            "",
            "options[0].fleets[0].device: the server 'supermicro-sys-821ge-tnhr' takes several "
            "devices; use one of h100-sxm, h200-sxm",
        ),
    ],
)
def test_each_slip_is_one_line(capsys, tmp_path, old, new, line):
    """Negative kW, unknown device, zero servers, NaN, 1e308, unknown key: exit code 2."""
    changed = CHAT.replace(old, new, 1)
    assert changed != CHAT
    path = tmp_path / "scenario.yaml"
    path.write_text(changed, encoding="utf-8")
    assert fails(capsys, path) == [line]


def test_all_slips_are_told_at_once(capsys, tmp_path):
    """Three slips of different kinds are three lines."""
    path = tmp_path / "scenario.yaml"
    text = CHAT.replace("slot_w: 1000", "slot_w: 0").replace("region: US-VA", "region: US-XA")
    path.write_text(text.replace("pue: {value: 1.3,", "pue: {value: 13,"), encoding="utf-8")
    fields = {line.split(":")[0] for line in fails(capsys, path)}
    assert fields == {"sites[0].slot_w", "sites[0].region", "sites[0].pue.value"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe\x00", "is not UTF-8 at byte 0; save it as UTF-8"),
        (b"a: [1", "this is not YAML"),
        (b"", "the document is empty"),
        (b"- 1\n- 2\n", "the document is not a mapping"),
        (b"a: &x 1\nb: *x\n", "anchor or alias"),
        (b"a: !!python/object/apply:os.abort []\n", "the tag"),
        (b"[" * 100_000, "more than 20 levels"),
        (b"a: " + b"x" * 1_100_000, "are more than the 1,000,000 allowed"),
        (b"\x00" * 50, "not YAML"),
    ],
)
def test_files_that_are_no_scenario(capsys, tmp_path, content, says):
    """Whatever the bytes are, one line says what to do."""
    path = tmp_path / "odd.yaml"
    path.write_bytes(content)
    lines = fails(capsys, path)
    assert len(lines) == 1
    assert says in lines[0]


def test_a_missing_file_and_a_folder(capsys, tmp_path):
    """The path is the field."""
    missing = tmp_path / "nothing.yaml"
    assert fails(capsys, missing) == [
        f"{missing}: cannot be read: No such file or directory; check the path"
    ]
    assert "cannot be read" in fails(capsys, tmp_path)[0]


def test_standard_input_is_read(capsys, monkeypatch):
    """`-` is standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CHAT.encode())))
    assert main(["check", "-"]) == 0
    assert capsys.readouterr().out.startswith("-: good.")


@pytest.mark.parametrize(
    "arguments",
    [[], ["projekt"], ["project"], ["catalog", "gadgets"], ["project", "a", "--nonsense"]],
)
def test_wrong_usage_is_exit_code_2(capsys, arguments):
    """argparse's own code is the same as ours for bad input."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: tco" in capsys.readouterr().err


def test_a_terminal_without_utf_8_gets_an_answer():
    """An ASCII pipe shows escapes in place of a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "cli.main", "check", "-"],
        input="schema: tco-scenario/1\nnäme: x\n".encode(),
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert b"n\\xe4me: unknown key; did you mean 'name'?" in done.stderr
