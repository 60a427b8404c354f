"""`tco serve-configs`: the ranking, one point, bad files (P6.5)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from cli.main import main
from hardware_catalog.seed.to_engine import SeedCatalog

FILE = "examples/search/llama70b_h100.yaml"


def run(capsys, *arguments):
    """Return exit code, output and errors of the command."""
    code = main(["serve-configs", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def changed_file(tmp_path, **changes):
    """Return a copy of the example with some fields changed; None removes one."""
    document = yaml.safe_load(Path(FILE).read_text(encoding="utf-8"))
    document.update(changes)
    document = {key: value for key, value in document.items() if value is not None}
    path = tmp_path / "asked.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return str(path)


def test_the_ranking_is_printed_with_what_excluded_the_rest(capsys):
    """Hundreds tried; asked beside carried; capacity defined; each reason with its mend."""
    code, text, _ = run(capsys, FILE, "--top", "5")
    assert code == 0
    assert "configurations" in text
    assert "usable memory = 0.9" in text
    asked = re.search(
        r"asked 40\.00 requests/s; (\d+) = (\d+) replicas? x (\d+) devices carry ([\d.]+)", text
    )
    devices, copies, each = (int(one) for one in asked.groups()[:3])
    assert devices == copies * each
    assert float(asked[4]) >= 40
    nearest = re.search(r"excluded by memory: \d+; nearest .*: ([\d.]+) GB missing .*; (.+)", text)
    assert float(nearest[1]) > 0
    assert nearest[2]


def test_json_and_text_agree(capsys):
    """The same best configuration and figures in both; no reason without a detail."""
    _, said, _ = run(capsys, FILE, "--json")
    found = json.loads(said)
    assert found["tried"] >= 400
    best = found["found"][0]
    _, text, _ = run(capsys, FILE, "--top", "1")
    row = next(line for line in text.splitlines() if line.startswith(best["label"]))
    assert f"{best['usd_per_mtok']:,.3f}" in row
    assert f"{best['ttft_ms']:,.0f} / {best['ttft_p95_ms']:,.0f}" in row
    assert found["tried"] == len(found["found"]) + len(found["excluded"])
    assert all(one["detail"] for one in found["excluded"])
    assert all(one["mend"] for one in found["excluded"] if one["reason"] == "memory")


def test_one_point_is_answered_alone(capsys, tmp_path):
    """The configuration that the file names, whole or split; refused ones with the mend."""
    code, text, _ = run(capsys, FILE, "--point")
    assert code == 0
    assert "t2 fp8/fp8 batch 256" in text
    split = {"tensor": 2, "weight_dtype": "fp8", "batch_limit": 64, "split": "1:3"}
    code, text, _ = run(capsys, changed_file(tmp_path, configuration=split), "--point")
    assert code == 0
    assert "t2 fp8/bf16 batch 64 split 1:3" in text
    wide = {"tensor": 1, "weight_dtype": "bf16"}
    code, text, _ = run(capsys, changed_file(tmp_path, configuration=wide), "--point")
    assert code == 1
    assert "GB missing on each device of t1; spread it over 4 devices" in text


def test_a_70b_on_one_l4_cannot_be_chosen(capsys, tmp_path):
    """Exit code 1, no row, and the smallest change."""
    path = changed_file(tmp_path, server=None, device="l4", devices=1)
    code, text, _ = run(capsys, path)
    assert code == 1
    assert "nothing is feasible" in text
    assert "GB missing" in text


def test_own_models_and_several_servers_are_ranked_together(capsys):
    """A bought server costs its price over its life and its power, by hand."""
    code, said, _ = run(capsys, "examples/search/own_model_two_servers.yaml", "--json")
    assert code == 0
    found = json.loads(said)
    assert found["model"] == "our/assistant-13b"
    bought, rented = found["servers"]
    entry = SeedCatalog().server("supermicro-sys-821ge-tnhr", "h100-sxm")
    watts = entry.typical_load_w or entry.max_system_w
    by_hand = entry.price_usd.value / (5 * 8760) + watts.value / 1e3 * 0.12 * 1.3
    assert bought["usd_per_hour"] == pytest.approx(by_hand)
    assert rented["usd_per_hour"] == 7.5
    assert {one["server"] for one in found["found"]} == {bought["name"], rented["name"]}
    costs = [one["usd_per_mtok"] for one in found["found"]]
    assert costs == sorted(costs)
    best = found["found"][0]
    held = best["requests_per_s"] * best["e2e_ms"] / 1e3
    assert best["copies"] * held >= 300


def test_one_answer_does_not_wait_for_the_whole_engine():
    """What projects scenarios is imported neither by the parser nor by an answer."""
    code = (
        "import sys, cli.main; cli.main._parser();"
        "print([n for n in ('scipy', 'tco.performance', 'tco.projection') if n in sys.modules])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert said.strip() == "[]"
    code = (
        "import sys, cli.main; cli.main.main(['serve-configs', '--point', sys.argv[1]]);"
        "print([n for n in ('pandas', 'scipy.stats', 'scipy.optimize', 'tco.projection')"
        " if n in sys.modules])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, FILE], check=True, capture_output=True, text=True
    ).stdout
    assert said.strip().endswith("[]")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"model": "nobody"}, "model"),
        ({"server": "nobody"}, "server"),
        ({"targts": []}, "targts"),
        ({"weight_dtypes": ["fp7"]}, "weight_dtypes"),
        ({"input_tokens": "many"}, "input_tokens"),
        ({"targets": [{"metric": "ttft"}]}, "targets[0]"),
        ({"targets": [{"metric": "speed", "percentile": 95, "limit_ms": 9}]}, "targets"),
        ({"batch_limits": [0]}, "batch_limits"),
        ({"batch_limits": 8}, "batch_limits"),
        ({"requests_per_s": 3}, "requests_per_minute"),
        ({"concurrency": 3}, "concurrency"),
        ({"life_years": 5}, "life_years"),
        ({"usd_per_hour": None, "price_usd": 5}, "life_years"),
        ({"servers": [{"device": "l4"}]}, "device"),
        (
            {"server": None, "device": None, "usd_per_hour": None, "servers": [{"devces": 2}]},
            "servers[0].devces",
        ),
        ({"split": "no"}, "split"),
        ({"catalog": {"models": [{"key": "m"}]}}, "catalog.models[0]"),
    ],
)
def test_bad_files_name_the_field(capsys, tmp_path, changes, field):
    """Exit code 2 with the field and the mend."""
    code, _, said = run(capsys, changed_file(tmp_path, **changes))
    assert code == 2
    assert field in said
    assert ";" in said  # what to do


@pytest.mark.parametrize(
    ("configuration", "field"),
    [
        (None, "configuration"),
        ({"tensr": 2}, "configuration.tensr"),
        ({"tensor": 0}, "configuration.tensor"),
        ({"split": "2"}, "configuration.split"),
        ({"split": "2:0"}, "configuration"),
        ({"weight_dtype": "fp7"}, "weight_dtypes"),
    ],
)
def test_bad_points_name_the_field(capsys, tmp_path, configuration, field):
    """Exit code 2 with the field."""
    path = changed_file(tmp_path, configuration=configuration)
    code, _, said = run(capsys, path, "--point")
    assert code == 2
    assert field in said
