"""`tco simulate`: a fleet's copy under every kind of load (P6)."""

from __future__ import annotations

import json

import pytest

from cli.main import main

CHAT = "examples/chat.yaml"


def run(capsys, *arguments):
    """Return exit code, output and errors of the command."""
    code = main(["simulate", CHAT, *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_poisson_and_the_same_seed_give_the_same_numbers(capsys):
    """Percentiles in order, a confidence interval, the same bytes twice."""
    first = run(capsys, "--requests", "3000", "--json")
    second = run(capsys, "--requests", "3000", "--json")
    assert first == second
    assert first[0] == 0
    found = json.loads(first[1])
    ttft = found["measures"]["ttft"]
    assert ttft["p50"]["value_s"] < ttft["p95"]["value_s"] < ttft["p99"]["value_s"]
    assert ttft["mean"]["low_s"] < ttft["mean"]["value_s"] < ttft["mean"]["high_s"]
    assert found["steady"]


def test_bursts_wait_longer_than_constant_arrivals(capsys):
    """The tail of the time to first token grows with the burstiness."""
    tails = {}
    for kind in ("constant", "poisson", "bursty"):
        _, text, _ = run(capsys, "--arrivals", kind, "--requests", "4000", "--json")
        tails[kind] = json.loads(text)["measures"]["ttft"]["p99"]["value_s"]
    assert tails["constant"] < tails["poisson"] < tails["bursty"]


def test_a_users_own_trace_is_served(capsys, tmp_path):
    """Arrivals and lengths of the file, dealt round robin over the copies."""
    trace = tmp_path / "mine.csv"
    rows = "".join(f"{i * 0.02},{200 + i % 300},{20 + i % 50}\n" for i in range(20_000))
    trace.write_text("arrival_s,input_tokens,output_tokens\n" + rows)
    code, text, _ = run(capsys, "--arrivals", "trace", "--trace", str(trace))
    assert code == 0
    assert "one of" in text
    trace.write_text("arrival_s,input_tokens,output_tokens\n1,10,5\n0.5,10,5\n")
    code, _, said = run(capsys, "--arrivals", "trace", "--trace", str(trace))
    assert code == 2
    assert "line 3" in said
    assert "sort the rows" in said


def test_an_overloaded_copy_is_said_to_be(capsys):
    """Ten times its share: exit code 1 and the word."""
    code, text, _ = run(capsys, "--requests-per-s", "200", "--requests", "4000")
    assert code == 1
    assert "saturated" in text


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["--arrivals", "closed"], "--concurrency"),
        (["--arrivals", "trace"], "--trace"),
        (["--requests", "3"], "--requests"),
        (["--fleet", "nobody"], "--fleet"),
        (["--option", "none"], "--option"),
        (["--requests-per-s", "-1"], "requests_per_s"),
    ],
)
def test_bad_input_names_field_and_mend(capsys, arguments, field):
    """Exit code 2, the field, and what to do."""
    code, _, said = run(capsys, *arguments)
    assert code == 2
    assert field in said
