"""Catalog, schema, fields and version; the pages made from them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.main import main
from cli.text_table import shortened, text_table
from tco import __version__
from tco.fields import sections

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
KINDS = ("devices", "servers", "offers", "models", "regions", "cooling", "racks", "feeds")


def run(capsys, *arguments):
    """Exit code and standard output."""
    code = main(list(arguments))
    return code, capsys.readouterr().out


def test_version(capsys):
    """The version is the engine's."""
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"tco {__version__}\n"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_listed(capsys, kind):
    """As a table with a head and at least four rows, and as JSON with the same keys."""
    code, table = run(capsys, "catalog", kind)
    assert code == 0
    rows = table.splitlines()
    assert rows[0].startswith("key ")
    code, text = run(capsys, "catalog", kind, "--json")
    entries = json.loads(text)
    assert code == 0
    assert len(entries) == len(rows) - 2 >= 4
    assert [row.split("  ")[0] for row in rows[2:]] == [entry["key"] for entry in entries]


def test_an_entry_shows_where_its_figures_come_from(capsys):
    """Value, unit, status and source of each figure."""
    code, text = run(capsys, "catalog", "devices", "h100-sxm")
    assert code == 0
    memory = next(line for line in text.splitlines() if line.startswith("memory_gb"))
    assert re.search(r"80 GB +published +\S+", memory)
    assert "peak_tflops.bf16" in text
    assert "30,000 USD (25,000 to 40,000)" in text


def test_a_server_is_shown_with_each_device_it_takes(capsys):
    """The price of the server depends on what is in it."""
    _, text = run(capsys, "catalog", "servers", "supermicro-sys-821ge-tnhr", "--json")
    assert [entry["device"]["key"] for entry in json.loads(text)] == ["h100-sxm", "h200-sxm"]


def test_an_unknown_key_suggests_the_nearest(capsys):
    """Exit code 2, and what was probably meant."""
    assert main(["catalog", "devices", "h100sxm"]) == 2
    assert "did you mean 'h100-sxm'" in capsys.readouterr().err


def test_schema_and_fields_are_the_committed_pages(capsys):
    """The commands that write the reference pages, and the pages, agree."""
    _, schema = run(capsys, "schema")
    assert schema == (REFERENCE / "scenario.schema.json").read_text(encoding="utf-8")
    _, page = run(capsys, "fields", "--markdown")
    assert page == (REFERENCE / "fields.md").read_text(encoding="utf-8")
    _, page = run(capsys, "defaults", "--markdown")
    assert page == (REFERENCE / "defaults.md").read_text(encoding="utf-8")


def test_the_fields_page_has_every_field(capsys):
    """Each section is a chapter, each field a row with its unit."""
    _, page = run(capsys, "fields", "--markdown")
    for name, fields in sections().items():
        chapter = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        rows = re.findall(r"^\| `(\w+)`", chapter, re.MULTILINE)
        assert rows == list(fields)
    _, table = run(capsys, "fields")
    assert "site.energy_usd_per_kwh" in table


def test_the_command_page_names_every_command_and_key(capsys):
    """docs/reference/cli.md keeps up with the parser and with the JSON."""
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["--help"])
    usage = capsys.readouterr().out
    commands = re.findall(r"^    ([\w-]+)(?: |$)", usage, re.MULTILINE)
    assert len(commands) == 21
    assert all(f"`tco {command}" in page for command in commands)
    main(["project", str(ROOT / "examples" / "this_machine.yaml"), "--json"])
    keys = set(json.loads(capsys.readouterr().out))
    table = page.split("## Keys of")[1].split("\n## ")[0]
    assert keys == set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\|([^|]+)", table, re.M))))


def test_table_columns_are_as_wide_as_their_widest_cell():
    """Words to the left, numbers to the right, nothing trails."""
    table = text_table(["a", "n"], [["long word", "1"], ["x", "10,000"]])
    assert table.splitlines() == [
        "a               n",
        "---------  ------",
        "long word       1",
        "x          10,000",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (12345.6, "12,350"), (0.012345, "0.01235"), (-2.5, "-2.5"), (3e-7, "3.000e-07")],
)
def test_numbers_are_shortened_to_four_digits(value, text):
    """People read four digits; JSON has them all."""
    assert shortened(value) == text
