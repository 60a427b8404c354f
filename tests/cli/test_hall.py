"""`tco hall`: the hall as text and as JSON; exit code 1 where something finds no place."""

from __future__ import annotations

import json
from pathlib import Path

from cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_old_hall_is_told_in_words(capsys):
    """What binds, what would help, every rack, parts, losses, dates, windows."""
    assert main(["hall", str(EXAMPLES / "hall.yaml"), "--option", "air"]) == 1
    out = capsys.readouterr().out
    assert "23 of 27 fit" in out
    assert "1 kW more rack cooling in every rack" in out
    assert "Without CDU 1 3 racks warm up" in out
    assert "2027-02-06, 8 h, Battery change of UPS B" in out
    assert "b-06" in out


def test_the_json_has_every_rack(capsys):
    """The same numbers as the projection, by option."""
    assert main(["hall", str(EXAMPLES / "hall.yaml"), "--option", "cold-plates", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {hall["site"]: len(hall["racks"]) for hall in found["cold-plates"]} == {
        "loop": 9,
        "new-row": 4,
    }


def test_a_scenario_without_halls_is_said(capsys):
    """No hall, an unknown option: exit code 2 and the mend."""
    assert main(["hall", str(EXAMPLES / "chat.yaml")]) == 2
    assert "no site describes a hall" in capsys.readouterr().err
    assert main(["hall", str(EXAMPLES / "hall.yaml"), "--option", "x"]) == 2
    assert "no option has the key 'x'" in capsys.readouterr().err


def one_by_one(tmp_path):
    """A scenario whose hall has single racks and kinds known to an inventory."""
    text = (EXAMPLES / "hall.yaml").read_text(encoding="utf-8")
    text = text.replace("{key: a, row: A, count: 6,", "{key: a, row: A, units: 42,")
    text = text.replace("{key: b, row: B, count: 6,", "{key: b, row: B, units: 42,")
    for rack in ("a-01", "a-02", "a-03"):
        text = text.replace(f"rack: {rack},", "rack: a,").replace(f"rack: {rack}}}", "rack: a}")
    text = text.replace("rack: b-01", "rack: b").replace(
        "rack: b-06, unit: 1,", "rack: b, unit: 9,"
    )
    text = text.replace("web, rack: a, unit: 1}", "web, rack: a, unit: 20}")
    text = text.replace("web, rack: a, unit: 2}", "web, rack: a, unit: 21}")
    text = text.replace("web, rack: a, unit: 3,", "web, rack: a, unit: 22,")
    text = text.replace("chassis, rack: a, unit: 1}", "chassis, rack: a, unit: 30}")
    for key in ("storage", "web", "chassis", "blade", "strip"):
        known = f"{{key: {key}, manufacturer: M, model: {key}-1, name"
        text = text.replace(f"{{key: {key}, name", known, 1)
    file = tmp_path / "hall.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_files_out_and_in_again_change_nothing(capsys, tmp_path):
    """Racks and devices of NetBox: export, import, and the scenario is the same; twice over."""
    from tco.document import document_hash, parse

    file, out = one_by_one(tmp_path), tmp_path / "out"
    assert main(["hall", str(file), "--export", str(out)]) == 0
    capsys.readouterr()
    flags = ["--racks", str(out / "racks.csv"), "--devices", str(out / "devices.csv")]
    assert main(["hall", str(file), *flags]) == 0
    again = tmp_path / "again.yaml"
    again.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["hall", str(again), "--export", str(tmp_path / "twice")]) == 0
    for name in ("racks.csv", "devices.csv"):
        assert (out / name).read_text() == (tmp_path / "twice" / name).read_text()
    capsys.readouterr()
    assert main(["hall", str(again), *flags]) == 0
    assert document_hash(parse(capsys.readouterr().out)) == document_hash(parse(again.read_text()))


def test_bad_files_print_nothing(capsys, tmp_path):
    """Errors of both files at once, exit code 2, no scenario."""
    file = one_by_one(tmp_path)
    (tmp_path / "racks.csv").write_text("name,colour\nx,red\n")
    (tmp_path / "devices.csv").write_text("name,manufacturer,device_type\nd,M,Nothing\n")
    flags = ["--racks", str(tmp_path / "racks.csv"), "--devices", str(tmp_path / "devices.csv")]
    assert main(["hall", str(file), *flags]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "racks.csv row 1, column colour: unknown column" in captured.err
    assert "devices.csv row 2, column device_type" in captured.err
