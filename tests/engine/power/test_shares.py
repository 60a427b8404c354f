"""Shares of peak and bandwidth at a given throughput (P2, P14), worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.inputs import Device, LanguageModel, Parallel
from tco.power.shares import Shares, running_sequences, shares_in_use
from tests.engine.power.power_fleets import figure, h100


def llama() -> LanguageModel:
    """Llama-3.1-8B of the seed: 32 layers, 8 KV heads of 128, 7.505 x 10^9 weights multiplied."""
    found = SeedCatalog().model("meta-llama/Llama-3.1-8B")
    assert found is not None
    return found


def at(device: Device, rate: float = 3_000.0, *, dtype: str = "bf16") -> Shares | None:
    """64 sequences of 1,024 + 1,024 tokens on one device."""
    return shares_in_use(
        llama(),
        device,
        Parallel(),
        weight_dtype=dtype,
        kv_dtype="bf16",
        input_tokens=1_024,
        output_tokens=1_024,
        sequences=64,
        output_tokens_per_s=rate,
    )


def test_shares_of_a_dense_model_by_hand() -> None:
    """46.9 iterations/s read 15.0 GB of weights and 12.9 GB of cache: 39 % of 3,350 GB/s.

    Answers cost 45.0 TFLOP/s, prompts 41.9 (no head), attention 2.4 and 0.8: 9.1 % of 989.4.
    """
    found = at(h100())
    assert found is not None
    memory = 46.875 * (15.01 + 131_072 * 1_536 * 64 / 1e9) / 3_350
    assert memory < found.memory_fraction < 1.03 * memory  # activations come on top
    assert found.compute_fraction == pytest.approx((45.03 + 41.9 + 2.42 + 0.81) / 989.4, rel=0.02)


def test_shares_are_linear_in_throughput_and_cut_at_one() -> None:
    """Half the tokens, half of both; a throughput beyond the floor is cut at the device."""
    full, half, absurd = at(h100()), at(h100(), 1_500), at(h100(), 300_000)
    assert full is not None
    assert half is not None
    assert half.compute_fraction == pytest.approx(full.compute_fraction / 2)
    assert half.memory_fraction == pytest.approx(full.memory_fraction / 2)
    assert absurd == Shares(1.0, 1.0)


def test_without_rates_there_are_no_shares() -> None:
    """No bandwidth, or no peak for the dtype or a wider one: None, not 0."""
    assert at(replace(h100(), memory_bandwidth_gb_s=None)) is None
    assert at(replace(h100(), peak_tflops=())) is None


def test_memory_cuts_the_sequences_that_run() -> None:
    """40 GB less a tenth and 15 GB leaves 21 GB; 131,072 B x 1,792 tokens each: 89 sequences."""
    small = replace(h100(), memory_gb=figure(40, "GB"))
    for asked, running in ((64, 64), (500, (36 - 15.01) / (131_072 * 1_792 / 1e9))):
        found = running_sequences(
            llama(),
            small,
            Parallel(),
            weight_dtype="bf16",
            kv_dtype="bf16",
            input_tokens=1_024,
            output_tokens=1_024,
            asked=asked,
        )
        assert found == pytest.approx(running, rel=0.02)
