"""`tco refresh`: keep the servers of one option, or replace them by those of another (F15)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cli.text_table import shortened, text_table
from tco.errors import InputError

if TYPE_CHECKING:
    from tco.cost.ledger import OptionCase
    from tco.cost.refresh import New, Old, Plan, Terms
    from tco.inputs import ScenarioInputs

Resolve = Callable[[str], "ScenarioInputs"]


def add_refresh(commands: Any, resolve: Resolve) -> None:
    """Add the command to the parser; `resolve` reads a scenario file."""
    command = commands.add_parser(
        "refresh",
        help="keep the servers of one option or replace them by another's, and when",
        description=(
            "Two options of a scenario serve the same demand: one stands there already, the other "
            "could replace it. What the old one once cost is gone; its book value counts only "
            "through tax. Prints every month's cost, the best month, and where the answer turns."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON")
    command.add_argument("--keep", required=True, metavar="OPTION", help="what stands there")
    command.add_argument("--replace", required=True, metavar="OPTION", help="what could come")
    command.add_argument("--resale-now-usd", type=float, default=0.0, metavar="USD")
    command.add_argument("--resale-end-usd", type=float, default=0.0, metavar="USD")
    command.add_argument("--book-usd", type=float, default=0.0, metavar="USD")
    command.add_argument("--book-months", type=int, default=0, metavar="N")
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.set_defaults(run=lambda options: _run(options, resolve))


def _run(options: argparse.Namespace, resolve: Resolve) -> int:
    from tco.cost.ledger import build_ledger
    from tco.cost.refresh import every_plan
    from tco.cost.refresh_case import Standing, refresh_of
    from tco.projection import option_cases
    from tco.results.currency import in_currency

    inputs = resolve(options.file)
    cases = {case.option.key: case for case in option_cases(inputs)}
    keep, change = (_found(cases, key) for key in (options.keep, options.replace))
    standing = Standing(
        options.resale_now_usd, options.resale_end_usd, options.book_usd, options.book_months
    )
    old, new, terms = refresh_of(
        (keep, build_ledger(keep)), (change, build_ledger(change)), standing
    )
    plans = every_plan(old, new, terms)
    turns = _turns(old, new, terms)
    if options.json:
        print(json.dumps(_as_json(plans, turns), sort_keys=True))
    else:
        names = keep.option.name, change.option.name
        print(in_currency(_text(*names, plans, turns), inputs.finance.currency, names))
    return 0


def _found(cases: dict[str, OptionCase], key: str) -> OptionCase:
    if key not in cases:
        raise InputError(key, "no option has this key", f"use one of {', '.join(cases)}")
    return cases[key]


def _turns(old: Old, new: New, terms: Terms) -> dict[str, float | None]:
    from tco.cost import refresh

    return {
        "power_price_factor": refresh.switching_power_price_factor(old, new, terms),
        "throughput_ratio": refresh.switching_throughput_ratio(old, new, terms),
        "resale_now_usd": refresh.switching_resale_usd(old, new, terms),
    }


def _best(plans: tuple[Plan, ...]) -> Plan:
    return min(plans, key=lambda one: one.total_usd)


def _as_json(plans: tuple[Plan, ...], turns: dict[str, float | None]) -> dict[str, Any]:
    return {
        "plans": [
            {"month": one.month, "total_usd": one.total_usd, "parts_usd": dict(one.parts_usd)}
            for one in plans
        ],
        "best_month": _best(plans).month,
        "switching": turns,
    }


def _text(keep: str, change: str, plans: tuple[Plan, ...], turns: dict[str, float | None]) -> str:
    best, kept, now = _best(plans), plans[0], plans[1]
    when = "keep it" if best.month is None else f"replace it at the start of month {best.month + 1}"
    saved = kept.total_usd - best.total_usd
    head = f"{keep} against {change}: {when}"
    head += f", {shortened(saved)} USD less than keeping it." if saved > 0 else "."
    shown = {one.month: one for one in (kept, now, best)}
    yearly = [one for one in plans[1:] if one.month is not None and one.month % 12 == 0]
    shown |= {one.month: one for one in yearly}
    names = list(dict.fromkeys(name for one in plans for name, _ in one.parts_usd))
    columns = sorted(shown.values(), key=lambda one: -1 if one.month is None else one.month)
    titles = ["keep" if one.month is None else f"month {one.month + 1}" for one in columns]
    rows = [[name, *(shortened(one.part_usd(name)) for one in columns)] for name in names]
    rows = [row for row in rows if any(cell != "0" for cell in row[1:])]
    rows.append(["present cost", *(shortened(one.total_usd) for one in columns)])
    table = text_table(["USD, present value; replaced in", *titles], rows, left=(0,))
    return "\n\n".join([head, table, "\n".join(_sentences(turns))])


def _sentences(turns: dict[str, float | None]) -> list[str]:
    power, speed, resale = turns.values()
    return [
        "No power price makes replacing now cost what keeping does."
        if power is None
        else f"Replacing now would cost what keeping does at {shortened(power)} x the power price.",
        "At no throughput of the new servers would replacing now pay."
        if speed is None
        else f"Replacing now would pay from {shortened(speed)} x the new servers' throughput on.",
        "Replacing now pays even if nothing comes back for the old servers."
        if resale is None
        else f"Replacing now would pay from {shortened(resale)} USD for the old servers on.",
    ]
