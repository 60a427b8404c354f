"""`tco fabric`: the networks, stores and cooling of a scenario, part by part."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cli.text_table import text_table

if TYPE_CHECKING:
    from tco.inputs import ScenarioInputs
    from tco.results import OptionResult, Projection
    from tco.results.networks import CoolingResult, FabricResult, StorageResult

Resolve = Callable[[str], "ScenarioInputs"]


def add_fabric(commands: Any, resolve: Resolve) -> None:
    """Add the command to the parser; `resolve` reads a scenario."""
    command = commands.add_parser(
        "fabric",
        help="bill of materials of networks, storage and cooling",
        description=(
            "Lays out the networks of every fleet: switches by tier, links with their medium, "
            "optical modules, watts, rack units and cost; then the stores and the cooling plants."
        ),
    )
    command.add_argument("file", metavar="FILE", help="scenario, YAML or JSON; - reads stdin")
    command.add_argument("--json", action="store_true", help="print it as JSON")
    command.set_defaults(run=lambda options: _run(options, resolve))


def _run(options: argparse.Namespace, resolve: Resolve) -> int:
    from tco.projection import project

    found = project(resolve(options.file))
    if options.json:
        from tco.inputs import plain

        keys = ("fabrics", "stores", "cooling")
        rows = {
            option.key: {key: plain(getattr(option, key)) for key in keys}
            for option in found.options
        }
        print(json.dumps({"schema": "tco-fabric/1", "options": rows}, indent=2))
        return 0
    print("\n".join(_lines(found)))
    return 0


def _sides(heat_kw: float, lost_kw: float) -> str:
    return "all carried" if lost_kw <= 0 else f"{lost_kw:,.0f} kW of {heat_kw:,.0f} kW"


def _lines(found: Projection) -> Iterator[str]:
    shown = 0
    for option in found.options:
        for fabric in option.fabrics:
            yield from _fabric(option, fabric)
        for store in option.stores:
            yield from _store(option, store)
        for cooling in option.cooling:
            yield from _cooling(option, cooling)
        shown += len(option.fabrics) + len(option.stores) + len(option.cooling)
    if not shown:
        yield "no fleet names fabrics or a store, and no site a plant: see `tco fields`"


def _usd(option: OptionResult, key: str, fleet: str) -> str:
    """Capital of a line, blank with a dash where there is none."""
    for line in option.ledger.lines:
        if line.key == key and line.fleet in (fleet, ""):
            return f"{sum(line.start_usd):,.0f}" if not line.missing else "no price"
    return "-"


def _fabric(option: OptionResult, fabric: FabricResult) -> Iterator[str]:
    yield (
        f"{option.name} / {fabric.fleet}: {fabric.role} network, {fabric.topology},"
        f" {fabric.servers:,} servers, {fabric.ports:,} ports"
    )
    if fabric.switch:
        yield f"  switch {fabric.switch}, {fabric.oversubscription:.3g}:1 as built"
    rows = [["tier", "switches", "ports used"]]
    rows += [[tier.name, f"{tier.switches:,}", f"{tier.ports_used:,}"] for tier in fabric.tiers]
    yield text_table(rows[0], rows[1:])
    rows = [["links", "count", "medium", "modules", "why"]]
    rows += [
        [links.name, f"{links.count:,}", links.medium, f"{links.modules:,}", links.reason]
        for links in fabric.links
    ]
    yield text_table(rows[0], rows[1:], left=(0, 2, 4))
    units = "not known" if fabric.rack_units is None else f"{fabric.rack_units:,} U"
    yield text_table(
        ["total", ""],
        [
            ["switches", f"{fabric.switches:,}"],
            ["optical modules", f"{fabric.modules:,}"],
            ["power", f"{fabric.power_w / 1000:,.2f} kW"],
            ["rack units", units],
            ["rate of a device to other servers", f"{fabric.device_gb_s:.3g} GB/s"],
            *(
                [f"{words}, USD", _usd(option, f"network_{key}_{fabric.role}", fabric.fleet)]
                for key, words in (
                    ("switches", "switches"),
                    ("modules", "modules"),
                    ("fibre", "fibre"),
                    ("copper", "copper"),
                )
            ),
        ],
    )
    if fabric.reason:
        yield f"  {fabric.reason}"
    yield ""


def _store(option: OptionResult, store: StorageResult) -> Iterator[str]:
    yield f"{option.name} / {store.fleet}: shared storage, sized by {store.binds}"
    written = "-" if store.checkpoint_s is None else f"{store.checkpoint_s:,.3g} s"
    loaded = "-" if store.load_s is None else f"{store.load_s:,.3g} s"
    yield text_table(
        ["storage", ""],
        [
            ["servers", f"{store.servers:,}"],
            ["needed", f"{store.needed_gb:,.0f} GB"],
            ["usable", f"{store.usable_gb:,.0f} GB"],
            ["reading", f"{store.read_gb_s:,.4g} GB/s"],
            ["writing", f"{store.write_gb_s:,.4g} GB/s"],
            ["one checkpoint", f"{store.checkpoint_gb:,.0f} GB"],
            ["its time", written],
            ["loading the weights of one copy", loaded],
            ["power", f"{store.power_w / 1000:,.2f} kW"],
            ["servers, USD", _usd(option, "storage_servers", store.fleet)],
        ],
    )
    if store.short or store.reason:
        yield f"  {'; '.join(filter(None, (store.short, store.reason)))}"
    yield ""


def _cooling(option: OptionResult, cooling: CoolingResult) -> Iterator[str]:
    yield f"{option.name} / {cooling.site}: cooling plant"
    flow = cooling.flow_litres_per_min
    water = cooling.water_litres_per_year
    chiller = _sides(cooling.it_provisioned_kw, cooling.chiller_lost_kw)
    minutes = "-" if cooling.minutes is None else f"{cooling.minutes:.1f} min"
    yield text_table(
        ["cooling", ""],
        [
            ["IT power at the peak", f"{cooling.it_peak_kw:,.1f} kW"],
            ["IT power to provision", f"{cooling.it_provisioned_kw:,.1f} kW"],
            ["heat into liquid", f"{cooling.liquid_kw:,.1f} kW"],
            ["heat into air", f"{cooling.air_kw:,.1f} kW"],
            ["flow", "-" if flow is None else f"{flow:,.0f} L/min"],
            ["PUE of the year", f"{cooling.pue:.3f}"],
            ["PUE at the peak", f"{cooling.peak_pue:.3f}"],
            ["ITUE", f"{cooling.itue:.3f}"],
            ["TUE", f"{cooling.tue:.3f}"],
            ["coolant distribution units", f"{cooling.cdus:,}"],
            ["to shed with one of them lost", _sides(cooling.liquid_kw, cooling.cdu_lost_kw)],
            ["chillers", f"{cooling.chillers:,}"],
            ["to shed with one of them lost", chiller],
            ["time for it", minutes],
            ["water a year", "-" if water is None else f"{water / 1000:,.0f} m3"],
        ],
    )
    if cooling.reason:
        yield f"  {cooling.reason}"
    yield ""
