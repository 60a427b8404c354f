"""Checks of the scenario as a whole: shares, coverage, conventions (F0.5, F12.8)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tco.checks.view import ScenarioView
from tco.inputs import Figure
from tco.results import Finding

_TOLERANCE = 1e-6


def shares_sum_to_one(scenario: ScenarioView) -> Iterator[Finding]:
    """The fleets of an option share each workload's requests out completely."""
    for index, option in enumerate(scenario.inputs.options):
        for workload in scenario.inputs.workloads:
            if workload.kind == "pipeline":  # its fleets serve stages, each the whole
                continue
            fleets = [fleet for fleet in option.fleets if fleet.workload.key == workload.key]
            total = math.fsum(fleet.share_fraction for fleet in fleets)
            if fleets and abs(total - 1.0) > _TOLERANCE:
                yield Finding(
                    "shares_not_one",
                    "error",
                    f"options[{index}].fleets",
                    f"the fleets of {option.name} take {total:g} of {workload.name}, not 1",
                    "change share_fraction so that the shares sum to 1",
                    option.key,
                )


def every_workload_served(scenario: ScenarioView) -> Iterator[Finding]:
    """Each option serves every workload; else it cannot be compared with the others."""
    for index, option in enumerate(scenario.inputs.options):
        served = {fleet.workload.key for fleet in option.fleets}
        for workload in scenario.inputs.workloads:
            if workload.key not in served:
                yield Finding(
                    "workload_not_served",
                    "error",
                    f"options[{index}].fleets",
                    f"{option.name} has no fleet for {workload.name}",
                    "add a fleet for it, or remove the workload",
                    option.key,
                )


def one_basis(scenario: ScenarioView) -> Iterator[Finding]:
    """All rates are nominal or all are real; before or after tax as the flows are (F0.5, F12.8)."""
    finance = scenario.inputs.finance
    real = finance.discount_basis.startswith("real")
    other = "nominal" if real else "real"
    for name, figure in (
        ("electricity_escalation_fraction", finance.electricity_escalation_fraction),
        ("opex_escalation_fraction", finance.opex_escalation_fraction),
    ):
        if figure is not None and _says(figure, other):
            yield Finding(
                "mixed_basis",
                "error",
                f"finance.{name}",
                f"{figure.value:g} is {other} ({figure.source or figure.unit}) and the discount"
                f" rate is {finance.discount_basis}",
                "make all rates nominal or all real: 1 + nominal = (1 + real) x (1 + inflation)",
            )
    if _says(finance.discount_rate_fraction, other):
        yield Finding(
            "mixed_basis",
            "error",
            "finance.discount_basis",
            f"the discount rate is {other} by its source and {finance.discount_basis} by its basis",
            "correct the basis or the rate",
        )
    after_tax = finance.discount_basis.endswith("after_tax")
    if after_tax and finance.tax is None:
        yield Finding(
            "mixed_basis",
            "error",
            "finance.discount_basis",
            "the rate is after tax and the flows are before tax",
            "set finance.tax, or use a rate before tax",
        )
    if not after_tax and finance.tax is not None:
        yield Finding(
            "mixed_basis",
            "error",
            "finance.discount_basis",
            "the flows are after tax and the rate is before tax",
            "use a rate after tax (about r x (1 - tax rate)), or leave out finance.tax",
        )
    if real and finance.tax is not None:
        yield Finding(
            "nominal_depreciation",
            "warning",
            "finance.tax",
            "depreciation is deducted at its nominal cost and a real rate discounts it too little",
            "use a nominal rate with tax",
        )


def escalation_reads_as_the_rate(scenario: ScenarioView) -> Iterator[Finding]:
    """Beside a real rate an escalation that does not say what it is counts as real (F0.5)."""
    finance = scenario.inputs.finance
    if not finance.discount_basis.startswith("real"):
        return
    for name, figure in (
        ("electricity_escalation_fraction", finance.electricity_escalation_fraction),
        ("opex_escalation_fraction", finance.opex_escalation_fraction),
    ):
        if figure is None or figure.value == 0.0:
            continue
        if _says(figure, "real") or _says(figure, "nominal"):
            continue  # declared; a wrong one is mixed_basis
        yield Finding(
            "escalation_read_as_real",
            "warning",
            f"finance.{name}",
            f"{figure.value:g} a year is read as real, above inflation, because the discount rate"
            f" is {finance.discount_basis}; a tariff's rise is usually nominal",
            "write nominal or real in its source; from nominal:"
            " 1 + real = (1 + nominal) / (1 + inflation)",
        )


def _says(figure: Figure, word: str) -> bool:
    """Whether the figure calls itself nominal or real."""
    words = f"{figure.unit} {figure.source}".lower().replace(",", " ").replace(";", " ").split()
    return word in words
