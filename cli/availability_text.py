"""Availability of the fleets as tables: layers, next steps, support contracts (F16)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cli.text_table import shortened, text_table
from tco.results import OptionResult
from tco.results.availability import AvailabilityResult


def availability_text(options: Sequence[OptionResult], currency: str) -> list[str]:
    """Return a block for each fleet that gives its availability."""
    return [
        "\n".join(_block(f"{option.key}/{found.fleet}", found, currency))
        for option in options
        for found in option.availability
    ]


def _block(place: str, found: AvailabilityResult, currency: str) -> Iterator[str]:
    yield (
        f"Availability of {place}: {_share(found.availability_fraction)},"
        f" {shortened(found.downtime_hours_per_year)} h down a year in"
        f" {shortened(found.events_per_year)} outages, {_usd(found.downtime_usd)} {currency}"
        f" ({found.status.value}){f'; {found.reason}' if found.reason else ''}"
    )
    yield text_table(
        ["layer", "scheme", "needed", "installed", "one unit", "layer", "h down a year"],
        [
            [
                layer.name,
                layer.scheme,
                f"{layer.needed:,}",
                f"{layer.installed:,}",
                _share(layer.unit_availability_fraction),
                _share(layer.availability_fraction),
                shortened(layer.downtime_hours_per_year),
            ]
            for layer in found.layers
        ],
        left=(0, 1),
    )
    if found.choices:
        yield text_table(
            [
                "next steps",
                "",
                "h down a year",
                f"cost {currency}",
                "downtime",
                "extra",
                "saved",
                "",
            ],
            [
                [
                    choice.name,
                    choice.scheme + (" *" if choice.chosen else ""),
                    shortened(choice.downtime_hours_per_year),
                    _usd(choice.cost_usd),
                    _usd(choice.downtime_usd),
                    _usd(choice.extra_usd),
                    _usd(choice.saving_usd),
                    _pays(choice.pays, choice.cheapest),
                ]
                for choice in found.choices
            ],
            left=(0, 1, 7),
        )
        yield "  (* as it is; extra and saved against the row above; present values)"
    if found.contracts:
        yield text_table(
            [
                "contract",
                "repair h",
                "h down a year",
                "spares",
                f"price {currency}",
                "all",
                "saves",
            ],
            [
                [
                    one.name + (" *" if one.chosen else ""),
                    shortened(one.repair_hours),
                    shortened(one.downtime_hours_per_year),
                    f"{one.spares:,}",
                    _usd(one.contract_usd),
                    _usd(one.cost_usd),
                    _usd(one.saving_usd) + (" cheapest" if one.cheapest else ""),
                ]
                for one in found.contracts
            ],
        )


def _pays(pays: bool | None, cheapest: bool) -> str:
    words = [] if pays is None else ["pays" if pays else "does not pay"]
    return ", ".join([*words, *(["cheapest"] if cheapest else [])])


def _share(fraction: float) -> str:
    """As many digits as it takes to tell nines apart."""
    return f"{fraction:.6%}"


def _usd(value: float | None) -> str:
    return "-" if value is None else shortened(value)
