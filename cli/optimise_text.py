"""What `tco optimise` prints: the mix, the front, why not another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cli.text_table import shortened, text_table

if TYPE_CHECKING:
    from tco.mix import BestMix, MixFront, WhyNot
    from tco.mix.best import MixRow
    from tco.mix.front import MixPoint
    from tco.optimise.explain import Binding
    from tco.optimise.relax import WayOut


def mix_text(found: BestMix) -> Iterator[str]:
    """Yield the parts of the printed answer."""
    solution, problem = found.solution, found.lowered.problem
    objective = found.lowered.request.objective
    unit = problem.units[objective]
    if not found.rows:
        yield from _nothing(found)
        return
    total = solution.totals[objective]
    proof = (
        "proven the least"
        if solution.gap_fraction == 0
        else f"at most {solution.gap_fraction or 0:.3%} above the least"
    )
    machines = sum(row.count for row in found.rows)
    yield (
        f"{machines} machines: {shortened(total)} {unit}, {proof}"
        f" ({problem.size:,} candidates, {solution.seconds:.1f} s)"
    )
    yield _machines(found.rows)
    if found.projected_usd is not None and objective == "usd":
        yield f"Sized and priced as an option of the scenario: {shortened(found.projected_usd)} USD"
    if found.limits_units:
        yield f"All limits together cost {shortened(found.limits_units)} {unit}."
    if not found.binding:
        yield "No limit is used up."
    yield from _binding(found.binding, unit)
    second = found.runner_up
    if second is not None:
        parts = counted(found.runner_up_rows)
        yield (
            f"Runner-up, without {second.without}: {shortened(second.more_units)} {unit} more"
            f" ({parts})"
        )
    for name, why in found.lowered.left_out.items():
        yield f"No candidate: {name}: {why}"


def _machines(rows: Sequence[MixRow]) -> str:
    from tco.mix.best import owned_first

    return text_table(
        ("Workload", "Machine", "Site", "Had", "From month", "Hours a day", "Count", "USD"),
        [
            (
                row.workload,
                row.name,
                row.site or "-",
                row.tenure,
                str(row.from_month),
                str(row.hours_per_day),
                str(row.count),
                shortened(row.present_usd),
            )
            for row in owned_first(rows)
        ],
        left=(0, 1, 2, 3),
    )


def counted(rows: Sequence[MixRow]) -> str:
    """Machines of a mix in a few words: each kind once."""
    kinds: dict[str, int] = {}
    for row in rows:
        kinds[row.name] = kinds.get(row.name, 0) + row.count
    return ", ".join(f"{count} x {name}" for name, count in kinds.items())


def _binding(bound: Sequence[Binding], unit: str) -> Iterator[str]:
    for one in bound:
        worth = (
            "its worth was not computed in the time"
            if one.worth_per_unit is None
            else f"one more {one.one_unit} is worth {shortened(one.worth_per_unit)} {unit}"
            f" (of {one.more_units:,.4g} more{'' if one.proven else ', not proven'})"
        )
        yield f"Binds: {one.name}, {one.use_text}; {worth}"


def _nothing(found: BestMix) -> Iterator[str]:
    out = found.way_out
    if out is None:
        yield "No mix was found in the time; allow more with --seconds."
        return
    yield "Nothing fits."
    yield from _way_out(out)
    for name, why in found.lowered.left_out.items():
        yield f"No candidate: {name}: {why}"


def _way_out(out: WayOut) -> Iterator[str]:
    for one in out.alone:
        yield f"Enough by itself: {one.sentence}"
    for one in out.together:
        yield f"Together with the others: {one.sentence}"
    for name in out.hopeless:
        yield f"Stands in the way: {name}"


def why_not_text(found: WhyNot) -> Iterator[str]:
    """Yield the parts of the answer to "why not this one?"."""
    yield found.sentence
    if found.rows:
        yield _machines(found.rows)
    if found.steps is not None and found.steps.steps:
        yield text_table(
            ("Class of cost", "Best mix, USD", "This one, USD", "Change, USD"),
            [
                (
                    step.category,
                    shortened(step.before_usd),
                    shortened(step.after_usd),
                    shortened(step.change_usd),
                )
                for step in found.steps.steps
            ],
            left=(0,),
        )
    yield from _binding(found.binding, found.unit)
    if found.way_out is not None:
        yield from _way_out(found.way_out)
    for reason in found.reasons:
        yield f"No candidate: {reason}"


def front_text(found: MixFront) -> str:
    """The front as a table, cheapest first."""
    from tco.mix.front import OWN_ONLY, UNITS

    if not found.points:
        return "No mix fits; without --front the way out is said."
    names = {"usd": "Cost", "carbon_kg": "Carbon", "peak_kw": "Peak", "latency_ms": "Slowest"}
    heads = [f"{names[axis]}, {UNITS[axis]}" for axis in found.axes]
    rows = [
        (*(_shown(one, axis) for axis in found.axes), counted(one.rows)) for one in found.points
    ]
    table = text_table((*heads, "Machines"), rows, left=(len(heads),))
    return f"{table}\n{OWN_ONLY}" if any(one.rents for one in found.points) else table


def _shown(point: MixPoint, axis: str) -> str:
    if axis not in point.values:
        return "-"
    plus = "+" if point.rents and axis in ("carbon_kg", "peak_kw") else ""
    return f"{shortened(point.values[axis])}{plus}"
