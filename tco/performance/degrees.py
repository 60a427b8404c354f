"""Whether a model can be spread as asked; if not, the nearest way that works (P1, P4)."""

from __future__ import annotations

from collections.abc import Iterable

from tco.inputs import LanguageModel, Parallel


def degrees_problem(model: LanguageModel, parallel: Parallel) -> str:
    """Say why `model` cannot run at these degrees, with the smallest mend; empty when it can.

    Query heads go whole to the devices, so t divides them; KV heads go whole or are repeated; the
    experts form equal groups; a stage holds at least one layer.

    Examples
    --------
    Llama-3.1-70B has 64 query and 8 KV heads: t = 16 runs, t = 6 does not.
    """
    t, p, e = parallel.tensor, parallel.pipeline, parallel.expert
    if min(t, p, e, parallel.attention_data) < 1:
        return "a degree is below 1; use 1 or more"
    for heads, label in _whole(model):
        if heads % t:
            return (
                f"tensor {t} does not divide the {heads} {label} of {model.name};"
                f" use {_nearest(t, divisors(heads))}"
            )
    kv = model.kv_heads
    if model.latent is None and kv and max(t, kv) % min(t, kv):
        fits = [d for d in divisors(model.heads) if max(d, kv) % min(d, kv) == 0]
        return (
            f"tensor {t} neither divides nor repeats the {kv} KV heads of {model.name};"
            f" use {_nearest(t, fits)}"
        )
    if p > model.layers:
        return f"pipeline {p} is more than the {model.layers} layers of {model.name}"
    if e > 1:
        if model.experts is None:
            return f"expert {e}: {model.name} has no experts; use 1"
        if parallel.stage_devices % e:
            fits = [d for d in divisors(parallel.stage_devices) if model.experts.routed % d == 0]
            return (
                f"expert {e} does not divide the {parallel.stage_devices} devices of a stage;"
                f" use {_nearest(e, fits)}"
            )
        if model.experts.routed % e:
            fits = [d for d in divisors(model.experts.routed) if parallel.stage_devices % d == 0]
            return (
                f"expert {e} does not divide the {model.experts.routed} experts of {model.name};"
                f" use {_nearest(e, fits)}"
            )
    return ""


def _whole(model: LanguageModel) -> Iterable[tuple[int, str]]:
    if model.caching_layers:
        yield model.heads, "query heads"


def divisors(number: int) -> list[int]:
    """Return the divisors of `number`, ascending.

    Examples
    --------
    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    return [d for d in range(1, number + 1) if number % d == 0]


def _nearest(wanted: int, choices: list[int]) -> int:
    """Return the nearest choice, the larger of two as near."""
    return min(choices, key=lambda choice: (abs(choice - wanted), -choice), default=1)
