"""`tco hall`: what fits into the halls of a scenario, what binds, what a lost part takes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cli.text_table import text_table

if TYPE_CHECKING:
    from tco.inputs import ScenarioInputs
    from tco.results.hall import HallResult

Resolve = Callable[[str], "ScenarioInputs"]


def add_hall(commands: Any, resolve: Resolve) -> None:
    """Add the command to the parser; `resolve` reads a scenario file."""
    command = commands.add_parser(
        "hall",
        help="what fits into the halls of a scenario, what binds, what a lost part takes",
        description=(
            "Fills the hall of every site with what stands, with its growth and with the servers "
            "of each option; tells what binds, the smallest change that makes the rest fit, and "
            "what a lost feed or cooling unit does."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON")
    command.add_argument("--option", metavar="KEY", action="append", help="only this option")
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.add_argument("--site", metavar="KEY", help="site whose hall is imported or exported")
    command.add_argument("--racks", metavar="CSV", help="racks as NetBox exports them")
    command.add_argument("--devices", metavar="CSV", help="devices as NetBox exports them")
    command.add_argument("--nodes", metavar="JSON", help="kubectl get nodes -o json")
    command.add_argument("--export", metavar="DIR", help="write racks, devices and node pools")
    command.set_defaults(run=lambda options: _run(options, resolve))


def _run(options: argparse.Namespace, resolve: Resolve) -> int:
    from tco.errors import InputError
    from tco.inputs import plain
    from tco.projection import project

    if options.racks or options.devices or options.nodes or options.export:
        from cli.hall_files import exchange

        return exchange(options)
    inputs = resolve(options.file)
    known = [option.key for option in inputs.options]
    for key in options.option or ():
        if key not in known:
            raise InputError("--option", f"no option has the key {key!r}", f"use {known}")
    projection = project(inputs)
    chosen = [
        option
        for option in projection.options
        if not options.option or option.key in options.option
    ]
    halls = {option.key: option.halls for option in chosen}
    if not any(halls.values()):
        raise InputError(
            f"{options.file}: sites", "no site describes a hall", "add `hall:` to a site"
        )
    if options.json:
        print(json.dumps(plain(halls), sort_keys=True, allow_nan=False))
    else:
        names = {option.key: option.name for option in chosen}
        text = [
            "\n\n".join((f"== {names[key]}: {hall.name}", *_parts(hall)))
            for key, found in halls.items()
            for hall in found
        ]
        print("\n\n".join(text))
    stuck = any(hall.unplaced for found in halls.values() for hall in found)
    return 1 if stuck else 0


def _parts(hall: HallResult) -> Iterator[str]:
    yield hall.verdict
    yield (
        f"{hall.racks_used} of {len(hall.racks)} racks in use ({hall.method}; at least "
        f"{hall.rack_bound}); {hall.stranded_kw:.1f} kW and {hall.stranded_u:g} U stay unused in "
        f"them; floor {hall.floor_m2:.1f} m2 ({hall.floor_formula})"
    )
    yield _kits(hall)
    yield _racks(hall)
    yield _fits(hall)
    if hall.room:
        yield "\n".join(_room(hall))
    if hall.parts:
        yield _tree(hall)
    if hall.losses:
        yield "\n".join(loss.sentence for loss in hall.losses)
    if len(hall.events) > 1:
        yield _events(hall)
    if hall.windows:
        yield "\n".join(
            f"{each.start}, {each.hours:g} h, {each.name}: {each.sentence}" for each in hall.windows
        )
    yield from _site(hall)
    if hall.over_limit:
        yield "Above a limit already:\n" + "\n".join(hall.over_limit)
    if hall.notes:
        yield "\n".join(hall.notes)


def _kw(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _kits(hall: HallResult) -> str:
    head = ["kind", "nameplate kW", "expected", "measured", "provisioned", "average", "U", "kg"]
    rows = [
        [
            kit.name,
            _kw(kit.nameplate_kw),
            _kw(kit.expected_kw),
            _kw(kit.measured_kw),
            _kw(kit.provisioned_kw),
            _kw(kit.average_kw),
            f"{kit.height_u:g}",
            "-" if kit.weight_kg is None else f"{kit.weight_kg:g}",
        ]
        for kit in hall.kits
    ]
    return text_table(head, rows)


def _racks(hall: HallResult) -> str:
    rows = []
    for rack in hall.racks:
        bars = {limit.name: limit for limit in rack.limits}
        cells = [
            f"{limit.used:.1f} of {limit.available:.1f}" if limit.available else f"{limit.used:.1f}"
            for limit in (bars["power"], bars["cooling"], bars["weight"], bars["ports"])
        ]
        units = bars["units"]
        rows.append(
            [
                rack.key,
                f"{rack.row} {rack.place}".strip(),
                *cells,
                f"{units.used:g} of {units.available:g}",
                str(len(rack.devices)),
                rack.binds,
            ]
        )
    return text_table(
        ["rack", "place", "power kW", "cooling kW", "mass kg", "ports", "U", "devices", "fullest"],
        rows,
    )


def _fits(hall: HallResult) -> str:
    names = {kit.key: kit.name for kit in hall.kits}
    rows = []
    for fit in hall.fits:
        needs = ", ".join(f"{amount:.3g} {unit} {name}" for name, amount, unit in fit.next_needs)
        rows.append(
            [names[fit.kit], fit.racks, str(fit.count), fit.binds, needs or fit.reason or "-"]
        )
    return text_table(["kind", "racks like", "fit in one", "binds", "one more needs"], rows)


def _room(hall: HallResult) -> Iterator[str]:
    names = {kit.key: kit.name for kit in hall.kits}
    for room in hall.room:
        stop = f"; then {room.stops} stops" if room.stops else ""
        text = f"Room for {room.more} more {names[room.kit]}{stop}."
        gained = [
            f"{step:g} {unit} {what}: {more}" for what, step, unit, more in room.gains if more
        ]
        if gained:
            text += f" One step more buys: {'; '.join(gained)}."
        elif room.gains:
            text += " No single step more buys another."
        yield text


def _tree(hall: HallResult) -> str:
    rows = [
        [
            part.name,
            part.kind,
            f"{part.kw:.1f}",
            f"{part.kva:.1f}",
            "-" if part.limit_kw is None else f"{part.limit_kw:.1f}",
            "-" if part.limit_kva is None else f"{part.limit_kva:.1f} ({part.part})",
            "-" if part.share_fraction is None else f"{part.share_fraction:.1%}",
        ]
        for part in hall.parts
    ]
    head = ["part", "kind", "kW, other side lost", "kVA", "limit kW", "limit kVA", "used"]
    return text_table(head, rows)


def _events(hall: HallResult) -> str:
    rows = [
        [
            event.day or "now",
            str(event.racks),
            str(event.delivered),
            str(event.powered),
            str(event.waiting),
            f"{event.provisioned_kw:.1f}",
            event.binds,
        ]
        for event in hall.events
    ]
    return text_table(["day", "racks", "delivered", "powered", "waiting", "kW", "binds"], rows)


def _site(hall: HallResult) -> Sequence[str]:
    check = hall.site_check
    said = [f"Racks {check.rack_kw:.1f} kW, with diversity {check.hall_kw:.1f} kW"]
    if check.hall_limit_kw is not None:
        said.append(f"hall {check.hall_limit_kw:g} kW")
    if check.site_kw is not None:
        said.append(f"peak hour {check.site_kw:.1f} kW at the utility (PUE {check.peak_pue:g})")
    if check.utility_kw is not None:
        said.append(f"utility {check.utility_kw:g} kW")
    if check.above_hall_fraction is not None:
        said.append(f"above the hall's limit {check.above_hall_fraction:.2%} of the time")
    if check.reason:
        said.append(check.reason)
    return ["; ".join(said)]
