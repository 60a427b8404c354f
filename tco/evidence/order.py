"""Order of devices for one kind of work, and what a wrong pick costs (P16.3).

A buyer compares devices at one model and one length. Rows of such a group are brought together
(one source each: two harnesses differ by more than two devices may), each device stands with its
best run over all loads and degrees, and the predicted order is held against the measured one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

HALF_OCTAVE = 2.0  # lengths within about 20 % count as one


@dataclass(frozen=True, slots=True)
class OrderRow:
    """One answered value of a run, with what makes rows comparable."""

    source: str
    model: str
    device: str
    input_tokens: float
    output_tokens: float
    load_kind: str
    measured: float
    predicted: float

    @property
    def group(self) -> tuple[object, ...]:
        """Source, model, kind of load and lengths, these to the nearest half octave."""
        lengths = (self.input_tokens, self.output_tokens)
        return (self.source, self.model, self.load_kind, *(_step(length) for length in lengths))


def _step(size: float) -> int:
    return round(HALF_OCTAVE * math.log2(size)) if size > 0 else -1


@dataclass(frozen=True, slots=True)
class SourceOrder:
    """Order of devices within one source."""

    source: str
    groups: int
    pairs: int
    tau: float


@dataclass(frozen=True, slots=True)
class OrderSummary:
    """How well the order of devices was kept."""

    groups: int  # with two devices or more
    pairs: int  # of devices, over all groups
    tau: float | None  # mean over (source, model) cells
    tau_pairs: float | None  # over all pairs at once
    cells: int
    by_source: tuple[SourceOrder, ...] = ()


@dataclass(frozen=True, slots=True)
class RegretSummary:
    """What the pick by prediction costs more than the best pick."""

    groups: int
    same_pick: int
    mean: float | None  # share of the best pick's cost, mean over (source, model) cells
    p90: float | None
    mean_usd: float | None  # USD of devices per 1,000 output tokens/s
    unpriced: tuple[str, ...]  # devices left out: no price


def best_by_device(
    rows: Sequence[OrderRow], *, more_is_better: bool
) -> dict[tuple[object, ...], dict[str, tuple[float, float]]]:
    """Return, by group and device, the best measured and the best predicted value.

    Each is the best over the same runs, so that a device stands for what it can do.
    """
    found: dict[tuple[object, ...], dict[str, list[OrderRow]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in rows:
        found[row.group][row.device].append(row)
    best = max if more_is_better else min
    return {
        group: {
            device: (best(row.measured for row in kept), best(row.predicted for row in kept))
            for device, kept in devices.items()
        }
        for group, devices in found.items()
        if len(devices) > 1
    }


def concordance(values: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """Return (concordant minus discordant pairs, pairs); a tie on one side counts as neither.

    Examples
    --------
    >>> concordance([(1, 10), (2, 20), (3, 15)])
    (1, 3)
    """
    score = pairs = 0
    for (measured_a, predicted_a), (measured_b, predicted_b) in combinations(values, 2):
        if measured_a == measured_b:
            continue
        pairs += 1
        product = (measured_a - measured_b) * (predicted_a - predicted_b)
        score += (product > 0) - (product < 0)
    return score, pairs


def order_summary(rows: Sequence[OrderRow], *, more_is_better: bool) -> OrderSummary:
    """Return Kendall's tau of devices within groups of one model and length (P16.3).

    Examples
    --------
    >>> def row(device, measured, predicted):
    ...     return OrderRow("s", "m", device, 1024, 1024, "closed", measured, predicted)
    >>> found = order_summary([row("a", 1, 2), row("b", 2, 1), row("c", 3, 3)], more_is_better=True)
    >>> found.pairs, round(found.tau, 3)
    (3, 0.333)
    """
    groups = best_by_device(rows, more_is_better=more_is_better)
    counts = {group: concordance(list(devices.values())) for group, devices in groups.items()}
    cells, sources = _summed(counts, 2), _summed(counts, 1)
    pairs = sum(count for _, count, _ in sources.values())
    taus = [score / count for score, count, _ in cells.values() if count]
    return OrderSummary(
        groups=len(groups),
        pairs=pairs,
        tau=sum(taus) / len(taus) if taus else None,
        tau_pairs=sum(score for score, _, _ in sources.values()) / pairs if pairs else None,
        cells=len(taus),
        by_source=tuple(
            SourceOrder(str(source[0]), size, count, score / count)
            for source, (score, count, size) in sorted(sources.items())
            if count
        ),
    )


def _summed(
    counts: Mapping[tuple[object, ...], tuple[int, int]], depth: int
) -> dict[tuple[str, ...], tuple[int, int, int]]:
    """Sum (score, pairs, groups) over groups of one source, or of one source and model."""
    found: dict[tuple[str, ...], tuple[int, int, int]] = {}
    for group, (score, pairs) in counts.items():
        key = tuple(str(part) for part in group[:depth])
        old = found.get(key, (0, 0, 0))
        found[key] = (old[0] + score, old[1] + pairs, old[2] + 1)
    return found


def regret_summary(
    rows: Sequence[OrderRow], price_usd: Mapping[str, float | None]
) -> RegretSummary:
    """Return what is paid too much when the device is picked by the predicted tokens/s (P16.3).

    Cost of a device = its purchase price over its output tokens/s; the pick is the least predicted
    cost, the regret its measured cost over the least measured one, less one. Devices without a
    price are left out and named.

    Examples
    --------
    >>> def row(device, measured, predicted):
    ...     return OrderRow("s", "m", device, 1024, 1024, "closed", measured, predicted)
    >>> found = regret_summary([row("a", 100, 100), row("b", 200, 90)], {"a": 1e4, "b": 1.6e4})
    >>> round(found.mean, 3), found.mean_usd  # 100 USD per token/s instead of 80
    (0.25, 20000.0)
    """
    unpriced = sorted({row.device for row in rows if price_usd.get(row.device) is None})
    priced = [row for row in rows if price_usd.get(row.device) is not None]
    regrets, dollars, same = [], [], 0
    cells: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for group, devices in best_by_device(priced, more_is_better=True).items():
        measured = {name: _price(price_usd, name) / pair[0] for name, pair in devices.items()}
        predicted = {name: _price(price_usd, name) / pair[1] for name, pair in devices.items()}
        pick = min(predicted, key=lambda name: (predicted[name], name))
        least = min(measured.values())
        regrets.append(measured[pick] / least - 1.0)
        cells[group[:2]].append(regrets[-1])
        dollars.append((measured[pick] - least) * 1000.0)
        same += measured[pick] == least
    ordered = sorted(regrets)
    means = [sum(found) / len(found) for found in cells.values()]
    return RegretSummary(
        groups=len(regrets),
        same_pick=same,
        mean=sum(means) / len(means) if means else None,
        p90=ordered[math.ceil(0.9 * len(ordered)) - 1] if ordered else None,
        mean_usd=sum(dollars) / len(dollars) if dollars else None,
        unpriced=tuple(unpriced),
    )


def _price(price_usd: Mapping[str, float | None], device: str) -> float:
    found = price_usd[device]
    assert found is not None
    return found


def repeat_noise(values: Mapping[object, Sequence[float]]) -> tuple[float, int] | None:
    """Return (median spread, groups) of values measured more than once with the same settings.

    Spread of a group = half its range over its mean: what a perfect model would still be off by.
    Values equal to four digits are one measurement published twice.

    Examples
    --------
    >>> repeat_noise({"a": [98.0, 102.0], "b": [50.0]})
    (0.02, 1)
    """
    apart = [sorted({float(f"{value:.4g}") for value in found}) for found in values.values()]
    spreads = sorted(
        (found[-1] - found[0]) / 2 / (sum(found) / len(found)) for found in apart if len(found) > 1
    )
    if not spreads:
        return None
    middle = len(spreads) // 2
    odd = len(spreads) % 2
    return (spreads[middle] if odd else (spreads[middle - 1] + spreads[middle]) / 2), len(spreads)
