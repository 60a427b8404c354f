"""A run as a quiet machine would send it, for tests that need one they can trust or spoil.

Every figure follows from the arguments: sample = work / rate x (1 + a fixed ripple of at most
0.6 %), so block medians agree within 0.4 %, there is no trend, no second mode, and the interval is
far below 2 %. Change a member and call `seal` again to make a run that is wrong in one way only.
"""

from __future__ import annotations

import hashlib
from typing import Any

from tco_agent.document import Document, build_document, content_sha256, with_sent_at
from tco_agent.interval import summarise

BLOCKS = 6
SAMPLES_PER_BLOCK = 10
STARTED_NS = 1_796_067_600_123_000_000  # 2026-11-30T19:40:00.123Z
DURATION_NS = 41_000_000_000
THREADS = 8
LLC_BYTES = 32 * 2**20

# A ripple inside a block and one between blocks, in parts of 1e4: no trend, no gap, no repeats.
_WITHIN = (0, 17, -9, 31, -22, 8, -31, 22, -14, 12)
_BETWEEN = (0, 14, -11, 9, -16, 5)

# Share of the fp32 rate at 512 rows that each number of rows reaches: few rows are memory bound.
_SHARE_BY_ROWS = {1: 0.035, 8: 0.13, 32: 0.38, 128: 0.81, 512: 1.0, 1024: 1.0}


def clean_document(
    run_id: str = "01937c2e-8a7b-7cc1-9f7e-4f1f0b1c2d3e",
    seq: int = 1,
    device_model: str = "Test CPU 9000",
    gflops_fp32: float = 800.0,
    membw_gb_s: float = 60.0,
    prev_sha256: str | None = None,
) -> Document:
    """A valid `bench-run` document with low contention; rates in GFLOP/s and GB/s (1e9)."""
    results = [
        _gemm(rows=m, dtype="fp32", gflops=gflops_fp32 * share)
        for m, share in _SHARE_BY_ROWS.items()
    ]
    results.append(_gemm(rows=512, dtype="fp64", gflops=gflops_fp32 / 2))
    results += [_membw(op=op, gb_s=membw_gb_s) for op in ("read", "copy", "triad")]
    results += [
        _block(phase="prefill", gflops=gflops_fp32 * 0.6),
        _block(phase="decode", gflops=membw_gb_s * 0.4),
        _launch(),
        _skipped(),
    ]
    document = build_document(
        run_id=run_id,
        seq=seq,
        prev_sha256=prev_sha256,
        profile="quick",
        moment={
            "started_at": "2026-11-30T19:40:00.123Z",
            "finished_at": "2026-11-30T19:40:41.123Z",
            "duration_ns": DURATION_NS,
            "boot_id_hash": "5b" * 16,
            "monotonic_start_ns": 7_200_000_000_000,
            "wall_step_ns": 120,
        },
        environment=_environment(device_model),
        host={
            "loadavg": [0.05, 0.03, 0.01],
            "psi_cpu_some": 0.001,
            "steal_share": 0.0,
            "run_delay_share": 0.002,
            "idle_run_delay_share": 0.001,
            "nr_throttled": 0,
            "throttled_share": 0.0,
            "governor": "performance",
            "thp": "madvise",
            "numa_balancing": 0,
            "import_torch_ns": 1_900_000_000,
            "timer": {"resolution_ns": 40, "pair_ns": 90, "monotonic": True},
        },
        results=results,
        energy=[
            {
                "phase": "run",
                "joules": None,
                "seconds": 41.0,
                "source": "unavailable(no powercap)",
                "scope": "unknown",
                "caveats": [],
            }
        ],
        spool={"queued": 0, "dropped_runs": 0},
    )
    return with_sent_at(document, STARTED_NS + DURATION_NS + 2_000_000_000)


def seal(document: Document) -> Document:
    """Write the digest that fits the content, after a test has changed a member; same object."""
    document["integrity"] = {"content_sha256": content_sha256(document), "alg": "none"}
    return document


def _environment(device_model: str) -> dict[str, Any]:
    devices = [
        {
            "key": "d0",
            "kind": "cpu",
            "index": 0,
            "vendor": "Test Works",
            "model": device_model,
            "arch": "x86_64 avx2 avx512f",
            "mem_bytes": 128 * 2**30,
            "llc_bytes": LLC_BYTES,
            "cores": THREADS,
            "driver": None,
        }
    ]
    env = {
        "os": "linux",
        "kernel": "6.8.0",
        "python": "3.11.7",
        "torch": "2.13.0+cpu",
        "cuda": None,
        "hip": None,
        "settings": {"threads": THREADS, "deterministic": False},
        "vars": {},
    }
    fingerprint = hashlib.sha256(f"{device_model} {env['torch']}".encode()).hexdigest()
    node = {"id": "n-7f3a0000aaaa1111", "label": None, "virt": None, "cgroup": {"cpu_quota": None}}
    return {"node": node, "devices": devices, "env": env, "fingerprint": fingerprint}


def _timed(ns_per_call: float) -> dict[str, Any]:
    """Blocks, samples and summary around one typical time [ns]."""
    inner = max(1, round(2_000_000 / ns_per_call))
    by_block = [
        [
            round(ns_per_call * (1 + (_WITHIN[(i + 3 * b) % len(_WITHIN)] + between) / 1e4))
            for i in range(SAMPLES_PER_BLOCK)
        ]
        for b, between in enumerate(_BETWEEN[:BLOCKS])
    ]
    summary = summarise(by_block, converged_at=0.02)
    blocks = [
        {
            "n": len(block),
            "median_ns": round((sorted(block)[4] + sorted(block)[5]) / 2),
            "start_offset_ns": 3_000_000_000 + b * 6_000_000_000,
            "process": 0,
        }
        for b, block in enumerate(by_block)
    ]
    samples = [sample for block in by_block for sample in block]
    return {
        "status": "ok",
        "reason": None,
        "timer": {"kind": "perf_counter", "resolution_ns": 40, "inner": inner},
        "warmup": {"calls": 40, "ns": 120_000_000, "first_call_ns": 90_000_000, "steady": True},
        "blocks": blocks,
        "samples_ns": samples,
        "samples_total": len(samples),
        "thinned": "none",
        "summary": summary,
        "telemetry": None,
        "host": {"run_delay_share": 0.002, "nivcsw": 1},
    }


def _gemm(*, rows: int, dtype: str, gflops: float) -> dict[str, Any]:
    side = 1024
    size = {"fp32": 4, "fp64": 8}[dtype]
    flop = 2 * rows * side * side
    timed = _timed(flop / (gflops * 1e9) * 1e9)
    return {
        "id": "gemm.v1",
        "device": "d0",
        "params": {
            "m": rows,
            "n": side,
            "k": side,
            "dtype": dtype,
            "threads": THREADS,
            "cache": "cold",
            "state": "short",
            "compile": "eager",
        },
        **timed,
        "work": {"flop": flop, "bytes": (rows * side * 2 + side * side) * size},
        "rate": {"value": flop / timed["summary"]["median_ns"] * 1e9, "unit": "FLOP/s"},
        "check": {"ok": True, "rel_fro": 2.4e-7 if dtype == "fp32" else 4.0e-16},
    }


def _membw(*, op: str, gb_s: float) -> dict[str, Any]:
    size_bytes = 4 * LLC_BYTES
    moved = {"read": 1, "copy": 2, "triad": 3}[op] * size_bytes
    timed = _timed(moved / (gb_s * 1e9) * 1e9)
    return {
        "id": "membw.v1",
        "device": "d0",
        "params": {
            "op": op,
            "size_bytes": size_bytes,
            "dtype": "fp32",
            "threads": THREADS,
            "cache": "cold",
            "state": "short",
        },
        **timed,
        "work": {"bytes": moved},
        "rate": {"value": moved / timed["summary"]["median_ns"] * 1e9, "unit": "B/s"},
        "check": {"ok": True},
    }


def _block(*, phase: str, gflops: float) -> dict[str, Any]:
    tokens = 128 if phase == "prefill" else 1
    flop = tokens * 6_291_456
    timed = _timed(flop / (gflops * 1e9) * 1e9)
    return {
        "id": "block.v1",
        "device": "d0",
        "params": {
            "phase": phase,
            "batch": 1,
            "seq": tokens,
            "kv_len": 128 if phase == "prefill" else 512,
            "d_model": 512,
            "heads": 8,
            "kv_heads": 4,
            "head_dim": 64,
            "ffn": 1408,
            "dtype": "fp32",
            "threads": THREADS,
            "state": "short",
            "compile": "eager",
        },
        **timed,
        "work": {"flop": flop},
        "rate": {"value": tokens / timed["summary"]["median_ns"] * 1e9, "unit": "tokens/s"},
        "check": {"ok": True, "rel_fro": 3.0e-7},
    }


def _launch() -> dict[str, Any]:
    timed = _timed(3_400)
    per_call_us = timed["summary"]["median_ns"] / 1e3
    return {
        "id": "launch.v1",
        "device": "d0",
        "params": {"mode": "enqueue_sync", "threads": 1, "state": "short", "compile": "eager"},
        **timed,
        "work": {},
        "rate": {"value": 1e6 / per_call_us, "unit": "calls/s"},
        "values": [{"name": "per_call", "value": per_call_us, "unit": "us"}],
        "check": {"ok": True},
    }


def _skipped() -> dict[str, Any]:
    return {
        "id": "gemm.v1",
        "device": "d0",
        "params": {"m": 1024, "n": 1024, "k": 1024, "dtype": "bf16", "threads": THREADS},
        "status": "skipped",
        "reason": "too_slow: probe predicts 7.8 s per call",
    }
