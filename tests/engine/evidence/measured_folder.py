"""Small folders of measured rows, written by hand."""

from __future__ import annotations

import csv

COLUMNS = [
    "row_id",
    "run_id",
    "stratum",
    "source",
    "device_key",
    "gpus",
    "tp",
    "dp",
    "ep",
    "model",
    "precision",
    "precision_assumed",
    "engine",
    "input_tokens",
    "output_tokens",
    "load_kind",
    "load_value",
    "limit_ttft_ms",
    "limit_tpot_ms",
    "overloaded",
    "note",
    "metric",
    "value",
    "unit",
]

ROW = {
    "run_id": "m1",
    "stratum": "seen",
    "source": "bench",
    "device_key": "h100-sxm",
    "gpus": "1.0",
    "tp": "1",
    "model": "meta-llama/Llama-3.1-8B",
    "precision": "bf16",
    "engine": "vllm 0.9",
    "input_tokens": "1024",
    "output_tokens": "256",
    "load_kind": "closed",
    "load_value": "8",
    "metric": "tpot_mean",
    "value": "9.5",
    "unit": "ms",
}


def row(**changes):
    """A good row with some cells changed; None takes the column out of that row."""
    return {name: value for name, value in {**ROW, **changes}.items() if value is not None}


def write(folder, rows, name="UNIFIED_latency.csv", columns=COLUMNS):
    """Write rows as a file of the schema and return the folder."""
    with (folder / name).open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return folder
