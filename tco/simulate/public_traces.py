"""Loads like those of public traces, drawn from their published figures (P6.1)."""

from __future__ import annotations

import csv
import functools
import importlib.resources
import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from tco.errors import InputError
from tco.simulate.arrivals import bursty
from tco.simulate.requests import Requests


@dataclass(frozen=True, slots=True)
class PublicTrace:
    """A public trace in figures.

    Parameters
    ----------
    interval_deviation_s
        Standard deviation of the intervals between requests.
    busiest_minute_per_s
        Requests per second of the busiest minute.
    rank_correlation
        Spearman's, between the lengths of prompts and answers.
    prefix_hits_at_best_fraction
        Share of the prompt tokens that a cache without limit would find; None: not published.
    input_quantiles, output_quantiles
        (level 0..1, tokens), rising.
    """

    key: str
    name: str
    requests: int
    duration_s: float
    requests_per_s: float
    interval_deviation_s: float
    busiest_minute_per_s: float
    rank_correlation: float
    prefix_hits_at_best_fraction: float | None
    input_quantiles: tuple[tuple[float, float], ...]
    output_quantiles: tuple[tuple[float, float], ...]
    source: str
    licence: str
    as_of: str

    @property
    def variation(self) -> float:
        """Coefficient of variation of the intervals: 1 is Poisson, above it come bursts."""
        return self.interval_deviation_s * self.requests_per_s

    def draw(self, requests: int, seed: int, *, requests_per_s: float | None = None) -> Requests:
        """Return requests with these lengths and bursts, at this rate or the trace's own.

        Intervals are gamma, so slow swings of the rate are not in them; lengths follow the
        quantiles, prompts and answers tied by a normal copula of the same rank correlation.

        Raises
        ------
        InputError
            A rate that is not above 0, fewer than one request.
        """
        rate = self.requests_per_s if requests_per_s is None else requests_per_s
        times = bursty(rate, requests, self.variation, seed)
        rng = np.random.default_rng((seed, 1))
        tie = 2 * math.sin(math.pi * self.rank_correlation / 6)
        first = rng.standard_normal(requests)
        second = tie * first + math.sqrt(1 - tie * tie) * rng.standard_normal(requests)
        columns = []
        for normal, quantiles in ((first, self.input_quantiles), (second, self.output_quantiles)):
            levels, tokens = zip(*quantiles, strict=True)
            drawn = np.interp(ndtr(normal), levels, tokens)
            columns.append(np.maximum(1, np.rint(drawn)).astype(np.int64).tolist())
        return Requests(times.tolist(), columns[0], columns[1])


@functools.cache
def public_traces() -> dict[str, PublicTrace]:
    """Return the traces by key.

    Examples
    --------
    >>> sorted(public_traces())[:2]
    ['azure_llm_2023_code', 'azure_llm_2023_conv']
    """
    text = importlib.resources.files("tco.simulate").joinpath("tables/public_traces.csv")
    with text.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {row["key"]: _trace(row) for row in rows}


def public_trace(key: str) -> PublicTrace:
    """Return one trace.

    Raises
    ------
    InputError
        No trace has this key.
    """
    traces = public_traces()
    if key not in traces:
        raise InputError("trace", f"{key!r} is none", f"use one of {', '.join(traces)}")
    return traces[key]


def _trace(row: dict[str, str]) -> PublicTrace:
    def quantiles(side: str) -> tuple[tuple[float, float], ...]:
        start = f"{side}_p"
        return tuple(
            (float(name.removeprefix(start)) / 100, float(value))
            for name, value in row.items()
            if name.startswith(start)
        )

    best = row["prefix_hits_at_best_fraction"]
    return PublicTrace(
        key=row["key"],
        name=row["name"],
        requests=int(row["requests"]),
        duration_s=float(row["seconds"]),
        requests_per_s=float(row["requests_per_s"]),
        interval_deviation_s=float(row["interval_deviation_s"]),
        busiest_minute_per_s=float(row["busiest_minute_per_s"]),
        rank_correlation=float(row["rank_correlation"]),
        prefix_hits_at_best_fraction=float(best) if best else None,
        input_quantiles=quantiles("input"),
        output_quantiles=quantiles("output"),
        source=row["source"],
        licence=row["licence"],
        as_of=row["as_of"],
    )
