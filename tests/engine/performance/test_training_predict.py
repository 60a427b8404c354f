"""Step time computed from the shape, the plan and the device (P11)."""

from __future__ import annotations

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.performance.training.predict import platform_of, predict

CATALOG = SeedCatalog()
H100 = CATALOG.device("h100-sxm")
LLAMA_8B = CATALOG.model("meta-llama/Llama-3.1-8B")
LLAMA_405B = CATALOG.model("meta-llama/Llama-3.1-405B")


def step(model=LLAMA_8B, device=H100, devices=64, batch=4e6, dtype="bf16", sequence=8192.0):
    """Return the prediction of a run."""
    return predict(
        model,
        device,
        devices=devices,
        server_devices=8,
        batch_tokens=batch,
        sequence_tokens=sequence,
        dtype=dtype,
    )


def test_a_step_is_above_its_floor():
    """Flops at the dense peak of all devices take longer than nothing and less than the step."""
    for devices in (8, 64, 512):
        found = step(devices=devices)
        floor = 6 * 8.03e9 * 4e6 / (devices * 989.4e12)
        assert found.seconds > floor
        assert found.mfu_fraction == pytest.approx(floor / found.seconds, rel=0.01)


def test_llama_405b_on_16384_h100_is_near_the_published_share():
    """Published 38 to 43 % on 8,192 and 16,384 H100; within the interval of the prediction."""
    found = step(LLAMA_405B, devices=16384, batch=16.8e6)
    low, high = found.mfu_fraction / found.high, found.mfu_fraction / found.low
    assert found.plan.pipeline > 1
    assert found.plan.tensor == 8
    assert low < 0.43
    assert high > 0.33


def test_more_devices_finish_sooner_but_scale_less_than_evenly():
    """Strong scaling: a fixed batch over eight times the devices is faster, by less than eight."""
    few, many = step(devices=64), step(devices=512)
    assert few.seconds / many.seconds > 3
    assert few.seconds / many.seconds < 8
    assert many.step.network / many.seconds > few.step.network / few.seconds


def test_longer_sequences_cost_more_attention():
    """The same tokens in sequences four times as long take longer."""
    assert step(sequence=32768.0).seconds > step(sequence=8192.0).seconds


def test_fp8_is_faster_where_the_device_has_it():
    """8-bit products shorten the step on H100; an A100 runs them at 16 bits."""
    assert step(dtype="fp8").seconds < step().seconds
    a100 = CATALOG.device("a100-sxm-80")
    assert step(device=a100, dtype="fp8").seconds == pytest.approx(step(device=a100).seconds)


def test_what_does_not_fit_or_has_no_rate_has_no_answer():
    """405B on eight devices holds no states; a device without bandwidth has no platform."""
    assert step(LLAMA_405B, devices=8) is None
    assert platform_of(CATALOG.device("resnet") or CATALOG.device("gaudi3-pcie"), "bf16",
                       server_devices=8) is None  # fmt: skip
