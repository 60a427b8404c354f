"""`tco project` and `tco check`: tables, JSON, exit codes, the shipped examples."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NAMES = (
    *("chat", "cheap_card", "hybrid", "migrate", "old_hall", "pipeline", "rent", "train_serve"),
    *("this_machine", "euro", "mix", "tariff"),
    *("this_machine", "zones", "euro", "tariff"),
    *("this_machine", "euro", "tariff"),
    *(
        "chat",
        "cheap_card",
        "hall",
        "hybrid",
        "migrate",
        "old_hall",
        "pipeline",
        "rent",
        "train_serve",
    ),
    *("this_machine", "euro"),
    *("this_machine", "euro", "liquid_cluster"),
)


def run(capsys, *arguments):
    """Exit code, standard output and standard error of one command."""
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def projected(capsys, name, *more):
    """The JSON of a shipped example."""
    code, out, err = run(capsys, "project", EXAMPLES / f"{name}.yaml", "--json", *more)
    assert err == ""
    return code, json.loads(out)


def test_the_examples_are_shipped():
    """No more and no less are shown, documented and projected by the demo."""
    assert {path.stem for path in EXAMPLES.glob("*.yaml")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_example_projects_to_the_same_bytes(name):
    """Two processes with different hash seeds print the same JSON, with every documented key."""
    outputs = []
    for seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-m", "cli.main", "project", f"examples/{name}.yaml", "--json"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.stderr == b""
        assert done.returncode in (0, 1)
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    result = json.loads(outputs[0])
    documented = {"kpis", "ledger", "latency", "power", "racks", "findings", "provenance"}
    assert documented <= set(result)
    assert result["best_option"] is not None
    assert result["provenance"]["input_hash"]


@pytest.mark.parametrize("name", NAMES)
def test_no_price_is_missing_in_an_example(capsys, name):
    """What the catalog lacks, the example assumes itself: every option is complete."""
    _, result = projected(capsys, name)
    assert [option["key"] for option in result["options"] if not option["complete"]] == []
    errors = {f["code"] for f in result["findings"] if f["severity"] == "error"}
    # what three examples are there to show: weak slots, a 70B that is too slow, a full hall
    shown = {
        "old_hall": {"slot_too_small"},
        "pipeline": {"target_not_met"},
        "hall": {"hall_full"},
    }
    assert errors <= shown.get(name, set())


def total(result, option, view="undiscounted_usd"):
    """A total of one option, in USD."""
    return result["kpis"][option][view]["value"]


def test_cheap_card_gives_the_worked_example(capsys):
    """20 % cheaper, 40 % more power, 1,000 servers: -11,107,200 and +10,883,200 USD (WE37).

    By hand, case 1: 8,000 cards save 600 USD each; 960 kW more cost 10 USD/W and 43,800 h x PUE 1.5
    x 0.10 USD/kWh. The threshold is (10 + 6.57) x 0.4 / 0.2 = 33.14 USD per board watt.
    """
    code, result = projected(capsys, "cheap_card")
    assert code == 0
    case_1 = total(result, "card-300w") - total(result, "card-420w")
    case_2 = total(result, "card-700w") - total(result, "card-980w")
    assert case_1 == pytest.approx(4_800_000 - 6_307_200 - 9_600_000, rel=1e-9)
    assert case_2 == pytest.approx(48_000_000 - 14_716_800 - 22_400_000, rel=1e-9)
    thresholds = [c for c in result["crossings"] if c["what"] == "price_usd_per_board_w"]
    assert len(thresholds) == 2
    for threshold in thresholds:
        assert threshold["value"] == pytest.approx(33.14, rel=1e-5)
        assert threshold["low"] == pytest.approx(18.14, rel=1e-3)


def test_old_hall_refuses_boards_over_the_slot(capsys):
    """L4 and A10 fit 200 W, L40S and MI210 do not, a capped L40S does (WE36): exit code 1."""
    code, result = projected(capsys, "old_hall")
    feasible = {option["key"]: option["feasible"] for option in result["options"]}
    assert feasible == {
        "l4": True,
        "a10": True,
        "l40s": False,
        "l40s-capped": True,
        "mi210": False,
    }
    assert code == 1


def test_old_hall_circuits_carry_each_chassis(capsys):
    """Three circuits of 208 V x 30 A x 0.8 = 4.992 kVA; a chassis loads two; cooling 10 kW."""
    _, result = projected(capsys, "old_hall")
    limits = {limit["name"]: limit for limit in result["racks"]["l4"][0]["limits"]}
    assert limits["power"]["available"] == pytest.approx(3 * 4.992, rel=1e-9)
    assert limits["cooling"]["available"] == pytest.approx(10.0, rel=1e-9)
    for option in ("l4", "a10", "l40s-capped"):
        for power in result["power"][option]:
            assert power["server_provisioned_kw"] / 2 <= 4.992


def test_old_hall_on_sockets_of_120_v_refuses_the_capped_chassis(capsys, tmp_path):
    """1.44 kVA a circuit (WE31): 1.02 kVA of an A10 chassis fit, 1.74 of a capped L40S do not."""
    text = (EXAMPLES / "old_hall.yaml").read_text(encoding="utf-8")
    socket = """  feeds:
    - key: socket
      name: 120 V 1ph 15 A
      voltage_v: 120
      voltage_reference: LN
      phases: 1
      breaker_a: 15
sites:
"""
    text = text.replace("sites:\n", socket, 1)
    text = text.replace("feed: 208-v-1ph-30-a", "feed: socket").replace(
        "feeds_per_rack: 3", "feeds_per_rack: 8"
    )
    path = tmp_path / "sockets.yaml"
    path.write_text(text, encoding="utf-8")
    assert main(["project", str(path), "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    feasible = {option["key"]: option["feasible"] for option in result["options"]}
    assert (feasible["l4"], feasible["a10"], feasible["l40s-capped"]) == (True, True, False)
    (finding,) = [
        finding
        for finding in result["findings"]
        if finding["code"] == "rack_over_circuits" and finding["option"] == "l40s-capped"
    ]
    assert finding["field"] == "sites[0].feed"
    assert "1.74 kVA each, and one has 1.44 kVA" in finding["message"]


def test_migrate_says_what_its_description_says(capsys):
    """Each part of the move by hand; the matrix's months; staff of a second vendor; both exits."""
    _, result = projected(capsys, "migrate")
    lines = {
        option: {
            (line["fleet"], line["key"]): sum(line["start_usd"]) + sum(line["end_usd"])
            for line in result["ledger"][option]["lines"]
        }
        for option in ("nvidia", "mixed")
    }
    moved = {key: usd for (fleet, key), usd in lines["mixed"].items() if fleet == "serve"}
    assert moved["migration"] == pytest.approx((4 + 1 + 2) * 2 * 18_000)
    assert moved["migration_training"] == pytest.approx(8 * 5_000)
    assert moved["migration_validation"] == pytest.approx(2 * 30 * 400 + 30_000)
    assert moved["migration_contingency"] == pytest.approx(0.2 * (252_000 + 40_000 + 54_000))
    assert moved["migration_dual_running"] == pytest.approx(2 * 90_000)
    assert moved["migration_delay"] == pytest.approx(100_000)
    assert sum(usd for key, usd in moved.items() if "migration" in key) == pytest.approx(695_200)
    assert moved["stack_exit"] == pytest.approx(0.3 * (6 * 2 * 18_000 * 1.2 + 2 * 90_000))
    assert lines["nvidia"]["serve", "stack_exit"] == pytest.approx(43_920)
    assert moved["model_retraining"] == pytest.approx(5 * 12 * (256 * 2.5 + 1_500))
    # 1 + 0.02 servers + 0.5 site + 0.5 a vendor: 2.16 and 2.68 people
    assert lines["nvidia"]["", "run_staff"] == pytest.approx(5 * 160_000 * 2.16)
    assert lines["mixed"]["", "run_staff"] == pytest.approx(5 * 160_000 * 2.68)
    assert lines["nvidia"]["serve", "canary_servers"] == pytest.approx(5 * 325_000 / 19)
    assert result["best_option"] == "nvidia"
    found = {finding["code"]: finding for finding in result["findings"]}
    assert "gptq is missing on Instinct MI300X with vllm" in found["feature_missing"]["message"]
    assert found["porting_by_planning_figure"]["option"] == "mixed"
    assert "speculative-decoding works in part" in found["feature_partial"]["message"]


def test_train_serve_counts_the_move(capsys):
    """900,000 USD of servers saved, 108,000 more of engineering, 300,000 of delay (WE54)."""
    _, result = projected(capsys, "train_serve")
    lines = {
        option: {
            line["key"]: sum(line["start_usd"]) + sum(line["end_usd"])
            for line in ledger["lines"]
            if line["fleet"] == "serve"
        }
        for option, ledger in result["ledger"].items()
    }
    saved = lines["nvidia"]["servers"] - lines["mixed"]["servers"]
    moves = {
        option: sum(usd for key, usd in found.items() if key.startswith("migration"))
        for option, found in lines.items()
    }
    assert saved == pytest.approx(900_000, rel=1e-9)
    assert moves["mixed"] - moves["nvidia"] == pytest.approx(108_000 + 300_000, rel=1e-9)


def test_chat_compares_three_servers_with_a_rented_one(capsys):
    """Every option meets its targets; the price of each server is estimated by the catalog."""
    code, result = projected(capsys, "chat")
    assert code == 0
    assert [option["key"] for option in result["options"]] == ["h100", "mi300x", "gaudi3", "p5"]
    for fleets in result["latency"].values():
        assert all(target["met"] for target in fleets[0]["targets"])
    servers = next(line for line in result["ledger"]["h100"]["lines"] if line["key"] == "servers")
    price = next(term for term in servers["terms"] if term["unit"].startswith("USD"))
    assert price["status"] == "estimated"


def test_this_machine_is_an_assumed_device(capsys):
    """The processor is nobody's published device: its result is no better than assumed."""
    _, result = projected(capsys, "this_machine")
    fleet = result["latency"]["this-machine"][0]
    assert (fleet["feasible"], fleet["status"]) == (True, "assumed")


def test_one_option_may_be_projected_alone(capsys):
    """`--option` keeps the named options in the order of the file."""
    _, result = projected(capsys, "chat", "--option", "p5", "--option", "h100")
    assert [option["key"] for option in result["options"]] == ["h100", "p5"]
    code, _, err = run(capsys, "project", EXAMPLES / "chat.yaml", "--option", "h10")
    assert code == 2
    assert err == "--option: no option has the key 'h10'; did you mean 'h100'?\n"


def test_the_tables_hold_verdict_kpis_and_findings(capsys):
    """A person reads the answer first; every KPI has its unit and status; blanks say why."""
    code, out, err = run(capsys, "project", EXAMPLES / "chat.yaml")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Chat: owned against rented"
    assert lines[2].startswith("Own 8xMI300X costs")
    head = next(line for line in lines if "gaudi3" in line and "unit" in line)
    assert head.split() == ["unit", "h100", "mi300x", "gaudi3", "p5"]
    cost = next(line for line in lines if line.startswith("Capital cost"))
    assert "USD" in cost
    assert "assumed" in cost
    assert "blank for p5: no device is owned (Cost of an owned device-hour)" in out
    assert "Findings (" in out
    assert "F0.2" in out


def test_tables_and_json_tell_the_same(capsys):
    """The total of the table is the KPI of the JSON, to four digits."""
    _, result = projected(capsys, "this_machine")
    _, out, _ = run(capsys, "project", EXAMPLES / "this_machine.yaml")
    row = next(line for line in out.splitlines() if line.startswith("Total cost over 36 months, p"))
    shown = float(row.split("USD")[1].split()[0].replace(",", ""))
    assert shown == pytest.approx(total(result, "this-machine", "tco_usd"), rel=1e-3)


def test_check_projects_nothing(capsys):
    """It says what is in the file and names its content."""
    code, out, err = run(capsys, "check", EXAMPLES / "chat.yaml")
    assert (code, err) == (0, "")
    assert "1 sites, 1 workloads, 4 options, 4 fleets" in out


def test_the_support_matrix_is_listed_by_framework(capsys):
    """`tco catalog support vllm` as a table and as JSON; a wrong name has its near one."""
    code, out, _ = run(capsys, "catalog", "support", "vllm")
    assert code == 0
    row = next(line for line in out.splitlines() if line.startswith("mi300x vllm gptq"))
    assert row.split()[3:5] == ["missing", "-"]
    assert "bf16-matmul" not in out
    code, out, _ = run(capsys, "catalog", "support", "pytorch", "--json")
    assert code == 0
    shares = {cell["device"]: cell["efficiency_fraction"]["value"] for cell in json.loads(out)}
    assert shares["mi300x"] == pytest.approx(668.4 / 1307.4, abs=1e-4)
    code, _, err = run(capsys, "catalog", "support", "vlm")
    assert code != 0
    assert "did you mean 'vllm'" in err


def test_a_price_book_takes_the_place_of_list_prices(tmp_path, capsys):
    """The quote stands in the figures; a broken table is exit code 2 with row and column."""
    book = tmp_path / "book.csv"
    head = "kind,key,price,currency,supplier,reference,valid_from,valid_to\n"
    row = "server,supermicro-sys-821ge-tnhr,210000,USD,Acme,Q-17,2026-01-01,2030-12-31\n"
    book.write_text(head + row, encoding="utf-8")
    chat = str(EXAMPLES / "chat.yaml")
    assert main(["project", chat, "--json", "--price-book", str(book)]) == 0
    assert "quote Q-17 of Acme" in capsys.readouterr().out
    book.write_text(head + row.replace("210000", "-1"), encoding="utf-8")
    assert main(["check", chat, "--price-book", str(book)]) == 2
    assert "row 2, price" in capsys.readouterr().err
