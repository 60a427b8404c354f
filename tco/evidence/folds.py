"""What is left out of a fit together, so that no row is scored by a fit that saw its like (P16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tco.evidence.run import ResolvedRun

SHIPPED = "all"
_SOURCES = {  # files that share runs or systems are left out together
    "argonne_llm_inference_bench": "argonne",
    "argonne_power": "argonne",
    "b200_dsr1_nov2025_raw": "inferencex",
    "inferencex_dsr1_api": "inferencex",
    "inferencex_nvidia_silicon": "inferencex",
    "mlperf_inference": "mlperf",
    "mlperf_inference_v5.0": "mlperf",
    "vllm_h100_ground_truth_blis": "vllm_study",
    "vllm_sim2real_actuals": "vllm_study",
}


def fold_of(run: ResolvedRun, leave_out: str) -> str:
    """Name the fold of a run: variants of one device, one model, or one family of sources.

    Parameters
    ----------
    leave_out
        ``device``, ``model`` or ``source``.
    """
    if leave_out == "device":
        return f"device:{run.device.key.split('-')[0]}"
    if leave_out == "model":
        return f"model:{run.model.key}"
    return f"source:{_SOURCES.get(run.run.source, run.run.source)}"


def folds_of(runs: Sequence[ResolvedRun], leave_out: str) -> dict[str, frozenset[int]]:
    """Return the places of the runs of each fold."""
    found: dict[str, set[int]] = {}
    for place, run in enumerate(runs):
        found.setdefault(fold_of(run, leave_out), set()).add(place)
    return {name: frozenset(places) for name, places in sorted(found.items())}


def known_fold(name: str, shipped: Mapping[str, object]) -> str:
    """Return `name` where a fit without it was shipped, else the fit that left nothing out.

    A device or a model that no fit has seen is left out of all of them.
    """
    return name if name in shipped else SHIPPED
