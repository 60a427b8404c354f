"""Unit costs from a rate and a throughput (F19.1 to F19.5).

The levelised unit costs of a scenario are in `tco.cost.unit_costs`; these are the formulas for one
group of devices at one load.
"""

from __future__ import annotations

import math

from tco.errors import InputError
from tco.units import SECONDS_PER_HOUR, TOKENS_PER_MTOK

KW_PER_MW = 1000.0


def usd_per_mtok(group_usd_per_hour: float, tokens_per_s: float) -> float:
    """Cost of a million tokens [USD/Mtok], group rate / (tok/s x 0.0036) (F19.1).

    Parameters
    ----------
    group_usd_per_hour
        Rate of the whole group that makes the tokens, counted once [USD/h].
    tokens_per_s
        Tokens of the group, input, output or total: the cost is of the same kind [tok/s].

    Examples
    --------
    >>> round(usd_per_mtok(6.98, 255.1465), 4), round(usd_per_mtok(13.96, 254.2286), 4)
    (7.5991, 15.2531)
    """
    _above_zero("tokens_per_s", tokens_per_s)
    return group_usd_per_hour / (tokens_per_s * SECONDS_PER_HOUR) * TOKENS_PER_MTOK


def usd_per_1000_requests(group_usd_per_hour: float, requests_per_s: float) -> float:
    """Cost of 1,000 inferences [USD], rate / (req/s x 3.6) (F19.5).

    Examples
    --------
    >>> usd_per_1000_requests(7.2, 2.0)
    1.0
    """
    _above_zero("requests_per_s", requests_per_s)
    return group_usd_per_hour / (requests_per_s * SECONDS_PER_HOUR) * 1000.0


def load_penalty(best_tokens_per_s: float, tokens_per_s: float) -> float:
    """How many times dearer a token is at this load than at the best one [x] (F19.2).

    Inside one configuration only: the rate is the same at both loads and cancels.

    Examples
    --------
    >>> round(load_penalty(6237.5925, 255.1465), 3)
    24.447
    """
    _above_zero("tokens_per_s", tokens_per_s)
    return best_tokens_per_s / tokens_per_s


def tokens_per_s_per_mw(tokens_per_s: float, facility_kw: float) -> float:
    """Tokens a second of a megawatt of facility power [tok/s/MW] (F19.4).

    Examples
    --------
    >>> round(tokens_per_s_per_mw(1000.0, 1.73))
    578035
    """
    _above_zero("facility_kw", facility_kw)
    return tokens_per_s / facility_kw * KW_PER_MW


def training_run_usd(
    device_hours: float,
    usd_per_device_hour: float,
    *,
    goodput_fraction: float = 1.0,
    other_usd: float = 0.0,
) -> float:
    """Cost of a training run [USD], device-hours x rate / G + storage, egress, people (F19.3).

    Parameters
    ----------
    device_hours
        Useful device-hours; hours that were billed, failures included, go with a goodput of 1.
    usd_per_device_hour
        Rate of one device.
    goodput_fraction
        Useful share of the time G (F10.4), above 0 and at most 1.
    other_usd
        Storage, egress and people of the run.

    Examples
    --------
    >>> training_run_usd(1000.0, 2.0, goodput_fraction=0.8, other_usd=100.0)
    2600.0
    """
    if not 0.0 < goodput_fraction <= 1.0:
        raise InputError(
            "goodput_fraction", f"{goodput_fraction} is not above 0 and at most 1", "enter 0.9"
        )
    return device_hours * usd_per_device_hour / goodput_fraction + other_usd


def cost_ratio(dearer: float, cheaper: float) -> float:
    """How many times one unit cost is of another [x] (F19.6: state the base of both).

    Examples
    --------
    >>> round(cost_ratio(2.0, 0.11), 1)
    18.2
    """
    _above_zero("cheaper", cheaper)
    return dearer / cheaper


def saving_fraction(cost: float, against: float) -> float:
    """Share of a cost that another saves, 1 - cost / against; negative when it is dearer.

    Examples
    --------
    >>> round(saving_fraction(4.74, 29.09), 3)
    0.837
    """
    _above_zero("against", against)
    return 1.0 - cost / against


def _above_zero(name: str, value: float) -> None:
    if not value > 0.0 or math.isinf(value):
        raise InputError(name, f"{value} is not a number above 0", "enter a number above 0")
