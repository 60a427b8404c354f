"""The kernels: right outputs, wrong ones noticed, inputs the same everywhere."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tco_agent.bench import FAMILIES
from tco_agent.bench.base import DeviceView, Params
from tco_agent.device.cpu import CpuBackend
from tco_agent.hash_inputs import NARROW_BITS, WIDE_BITS, hash_normal, hash_normal_tensor
from tco_agent.suite import plan
from tco_agent.torch_import import load_torch

VIEW = DeviceView("d0", "cpu", (1,), 1 << 20, 8 << 30)
SMALL_BLOCK = {
    "batch": 2,
    "d_model": 64,
    "heads": 4,
    "kv_heads": 2,
    "head_dim": 16,
    "ffn": 96,
    "dtype": "fp32",
    "threads": 1,
}
SMALL: list[tuple[str, Params]] = [
    *(
        ("gemm.v1", {"m": m, "n": 48, "k": 80, "dtype": dtype, "cache": "cold", "threads": 1})
        for m, dtype in itertools.product((1, 9), ("fp32", "fp64", "bf16", "fp16"))
    ),
    *(
        ("membw.v1", {"op": op, "size_bytes": size, "cache": "warm", "threads": 1})
        for op, size in itertools.product(("read", "copy", "triad"), (1 << 20, 1 << 23))
    ),
    ("block.v1", {"phase": "prefill", "seq": 24, "kv_len": 24, **SMALL_BLOCK}),
    ("block.v1", {"phase": "decode", "seq": 1, "kv_len": 24, **SMALL_BLOCK}),
    ("launch.v1", {"mode": "enqueue_sync", "threads": 1}),
]


@pytest.fixture(scope="module")
def torch() -> Iterator[Any]:
    """Torch at one thread without gradients."""
    module = load_torch()
    threads = module.get_num_threads()
    module.set_num_threads(1)
    with module.inference_mode():
        yield module
    module.set_num_threads(threads)


@pytest.mark.parametrize(("family", "params"), SMALL)
def test_every_kernel_passes_its_check(torch: Any, family: str, params: Params) -> None:
    """The output agrees with the reference, also after it has been called many times."""
    kernel = FAMILIES[family].build(torch, CpuBackend(torch), params, VIEW)
    assert kernel.check().ok
    for _ in range(5):
        kernel.call()
    assert kernel.check().ok


@pytest.mark.parametrize(
    ("name", "family", "params"),
    [
        ("mm", "gemm.v1", SMALL[0][1]),
        ("add", "membw.v1", {"op": "triad", "size_bytes": 1 << 20, "cache": "warm"}),
        ("sum", "membw.v1", {"op": "read", "size_bytes": 1 << 20, "cache": "warm"}),
    ],
)
def test_a_wrong_operation_is_noticed(
    torch: Any, monkeypatch: pytest.MonkeyPatch, name: str, family: str, params: Params
) -> None:
    """An operation that is off by 1 % in its result fails the check."""
    kernel = FAMILIES[family].build(torch, CpuBackend(torch), params, VIEW)
    right = getattr(torch, name)

    def wrong(*args: Any, out: Any, **kwargs: Any) -> Any:
        right(*args, out=out, **kwargs)
        return out.mul_(1.01).add_(1e-2 * args[0].numel() if name == "sum" else 0)

    monkeypatch.setattr(torch, name, wrong)
    assert not kernel.check().ok


def test_a_wrong_attention_is_noticed(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decode step that forgets the last key differs from the prefill of the whole sequence."""
    params = {"phase": "decode", "seq": 1, "kv_len": 24, **SMALL_BLOCK}
    kernel = FAMILIES["block.v1"].build(torch, CpuBackend(torch), params, VIEW)
    right = torch.nn.functional.scaled_dot_product_attention

    def short(q: Any, k: Any, v: Any, **kwargs: Any) -> Any:
        if q.shape[2] == 1:
            k, v = k[:, :, :-1], v[:, :, :-1]
        return right(q, k, v, **kwargs)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", short)
    assert not kernel.check().ok


@pytest.mark.parametrize("bits", [WIDE_BITS, NARROW_BITS])
def test_inputs_are_those_of_the_plain_hash(torch: Any, bits: int) -> None:
    """The tensor has the integers that plain Python computes, across the edge of a chunk."""
    count = (1 << 18) + 50
    tensor = hash_normal_tensor(torch, count, seed=5, device="cpu", bits=bits)
    places = [0, 1, 2, 77, (1 << 18) - 1, 1 << 18, count - 1]
    assert [int(tensor[i]) for i in places] == [hash_normal(i, 5, bits) for i in places]


def test_inputs_look_normal_and_are_exact_in_bf16(torch: Any) -> None:
    """Mean near 0, deviation near 36.9 of 126, and no rounding in the smallest types."""
    tensor = hash_normal_tensor(torch, 1 << 16, seed=6, device="cpu").double()
    assert abs(tensor.mean().item()) < 1
    assert tensor.std().item() == pytest.approx(36.95, rel=0.02)
    assert tensor.abs().max().item() <= 126
    for dtype in (torch.bfloat16, torch.float16):
        assert torch.equal((tensor / 64).to(dtype).double(), tensor / 64)
    narrow = hash_normal_tensor(torch, 4096, seed=6, device="cpu", bits=NARROW_BITS).float()
    assert torch.equal((narrow / 4).to(torch.float8_e4m3fn).float(), narrow / 4)


def test_weights_rotate_over_twice_the_cache() -> None:
    """Cold weights of 4 MiB with a cache of 32 MiB need sixteen buffers: 64 MiB."""
    params = {"m": 1, "n": 1024, "k": 1024, "dtype": "fp32", "cache": "cold"}
    view = DeviceView("d0", "cpu", (1,), 32 * 2**20, 8 << 30)
    needed = FAMILIES["gemm.v1"].bytes_needed(params, view)
    assert needed == 64 * 2**20 + 2048 * 4


def test_cold_arrays_are_four_caches_each_or_named_partial() -> None:
    """128 MiB for a cache of 32 MiB; where memory is too small the case says `partial`."""
    wide = DeviceView("d0", "cpu", (1, 2), 32 * 2**20, 8 << 30)
    rows = FAMILIES["membw.v1"].cases("quick", wide)
    cold = [row for row in rows if row["cache"] == "cold"]
    assert {row["op"] for row in cold} == {"read", "copy", "triad"}
    assert {row["size_bytes"] for row in cold} == {128 * 2**20}
    assert {row["threads"] for row in cold} == {1, 2}
    tight = DeviceView("d0", "cpu", (1,), 32 * 2**20, 1 << 30)
    assert {row["cache"] for row in FAMILIES["membw.v1"].cases("quick", tight)} == {"partial"}


def test_flop_of_a_block_by_hand() -> None:
    """d=64, 4 heads of 16, 2 for keys, ffn 96: 30 720 weights; two sequences of 24, half causal."""
    params = {"phase": "prefill", "seq": 24, "kv_len": 24, **SMALL_BLOCK}
    kernel_cost = FAMILIES["block.v1"].cost(params)
    weights = 64 * 16 * (2 * 4 + 2 * 2) + 3 * 64 * 96
    assert weights == 30_720
    assert kernel_cost == 48 * 2 * weights + 4 * 2 * 4 * 24 * 24 * 16 // 2


def test_plan_lists_gpu_first_and_every_family() -> None:
    """A GPU comes before the CPU, threads are named on the CPU only, keys do not repeat."""
    views = {
        "d0": DeviceView("d0", "cpu", (1, 8), 32 * 2**20, 64 << 30),
        "d1": DeviceView("d1", "gpu", (0,), 50 * 2**20, 140 << 30),
    }
    for profile in ("canary", "quick"):
        cases = plan(profile, views)
        assert [case.key for case in cases] == list(range(len(cases)))
        devices = [case.device for case in cases]
        assert devices == sorted(devices, reverse=True)
        for key in views:
            assert {case.family for case in cases if case.device == key} == set(FAMILIES)
        assert all(("threads" in case.params) == (case.device == "d0") for case in cases)
