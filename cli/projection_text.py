"""A projection as text for people: verdict, KPIs side by side, fleets, findings."""

from __future__ import annotations

from cli.accounting_text import accounting_text
from cli.availability_text import availability_text
from cli.bill_text import bill_text
from cli.text_table import shortened, text_table
from cli.zones_text import zones_text
from tco.results import Explained, Finding, OptionResult, Projection

_NONE = "-"


def projection_text(projection: Projection, takeaway: str = "") -> str:
    """Return the whole projection as text; every number has its unit and status.

    `takeaway` is the sentence of `tco.uncertainty.takeaway`, if the options were compared.
    """
    parts = [projection.name, projection.verdict]
    if takeaway and takeaway != projection.verdict:
        parts.append(f"Take-away: {takeaway}")
    parts += [_kpis(projection), _fleets(projection)]
    if peak := _peak(projection):
        parts.append(peak)
    parts += _pipelines(projection)
    if projection.crossings:
        parts.append("\n".join(["Thresholds", *(f"  {c.sentence}" for c in projection.crossings)]))
    parts += zones_text(projection.options, projection.currency)
    parts += availability_text(projection.options, projection.currency)
    parts += bill_text(projection.options, projection.currency)
    parts += accounting_text(projection.options, projection.currency)
    parts.append(_findings(projection.findings))
    parts.append(_conventions(projection))
    parts.append(f"Engine {projection.engine_version}, input {projection.input_hash[:16]}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _kpis(projection: Projection) -> str:
    options = projection.options
    rows, notes = [], []
    for key in dict.fromkeys(key for option in options for key in option.kpis):
        found = [option.kpis.get(key) for option in options]
        known = next(kpi for kpi in found if kpi is not None)
        rows.append([known.label, known.unit, *(_cell(kpi) for kpi in found)])
        for option, kpi in zip(options, found, strict=True):
            if kpi is not None and kpi.value is None and kpi.reason:
                notes.append((kpi.reason, option.key, kpi.label))
    head = ["", "unit", *(_heading(option) for option in options)]
    table = text_table(head, rows, left=(0, 1))
    return f"{table}\n{_blanks(notes)}".rstrip()


def _heading(option: OptionResult) -> str:
    marks = [] if option.feasible else ["infeasible"]
    if not option.complete:
        marks.append("incomplete")
    return f"{option.key} ({', '.join(marks)})" if marks else option.key


def _cell(kpi: Explained | None) -> str:
    if kpi is None or kpi.value is None:
        return _NONE
    return f"{shortened(kpi.value)} {kpi.status.value}"


def _blanks(notes: list[tuple[str, str, str]]) -> str:
    """Say why a value is blank, once for each option and reason."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for reason, option, label in notes:
        grouped.setdefault((option, reason), []).append(label)
    return "\n".join(
        f"  - blank for {option}: {reason} ({'; '.join(labels)})"
        for (option, reason), labels in grouped.items()
    )


def _fleets(projection: Projection) -> str:
    rows = []
    for option in projection.options:
        for fleet in option.fleets:
            rows.append(
                [
                    f"{option.key}/{fleet.fleet}",
                    fleet.name,
                    fleet.workload,
                    "owned" if fleet.owned else "rented",
                    f"{fleet.servers:,}",
                    str(fleet.tensor_parallel),
                    fleet.binds,
                ]
            )
    head = ["fleet", "machine", "workload", "", "servers", "devices per copy", "sized by"]
    return text_table(head, rows, left=(0, 1, 2, 3, 6))


def _peak(projection: Projection) -> str:
    """Each serving fleet at its peak: 95th percentiles with 80 % intervals, batch, cache (P13)."""
    rows, evidence = [], []
    for option in projection.options:
        for fleet in option.fleets:
            peak = fleet.at_peak
            if peak is None or not fleet.evidence:
                continue
            cells = []
            for metric in ("ttft", "tpot", "e2e"):
                value = getattr(peak, f"{metric}_ms").get("p95")
                if value is None:
                    cells.append("-")
                    continue
                cell = shortened(value)
                if metric in peak.interval_ratio:
                    low, high = peak.interval_ratio[metric]
                    cell += f" ({shortened(value * low)} to {shortened(value * high)})"
                cells.append(cell)
            used = "-" if peak.kv_fraction is None else f"{peak.kv_fraction:.0%}"
            name = f"{option.key}/{fleet.fleet}"
            rows.append([name, *cells, f"{peak.batch:,.1f}", used, fleet.parallel])
            evidence.append(f"  {name}: {fleet.evidence}")
    if not rows:
        return ""
    head = ["at the peak", "TTFT p95 ms", "TPOT p95 ms", "end to end p95 ms", "batch", "KV used"]
    table = text_table([*head, "degrees"], rows, left=(0, 6))
    return "\n".join([table, "  (in brackets: where 80 % of measured runs would lie)", *evidence])


def _pipelines(projection: Projection) -> list[str]:
    """One table for each pipeline: its stages at the design load (P9)."""
    tables = []
    for option in projection.options:
        for pipeline in option.pipelines:
            at = f"p{pipeline.percentile:g}"
            rows = [
                [
                    f"{option.key}/{stage.stage}{' (binds)' if stage.binds else ''}",
                    f"{stage.replicas:,}",
                    f"{stage.utilisation_fraction:.0%}",
                    shortened(stage.stage_ms["p50"]) if stage.stage_ms else "-",
                    shortened(stage.stage_ms[at]) if stage.stage_ms else "-",
                    f"{stage.slow_fraction:.0%}",
                ]
                for stage in pipeline.stages
            ]
            head = ["stage", "copies", "in use", "p50 ms", f"{at} ms", "of the slow requests"]
            whole = pipeline.e2e_ms.get(at)
            line = f"{pipeline.name}: the whole at {at} "
            line += "has no steady state" if whole is None else f"{shortened(whole)} ms"
            if pipeline.limit_ms is not None:
                line += f" of {shortened(pipeline.limit_ms)} ms"
            tables.append(f"{text_table(head, rows, left=(0,))}\n  {line}; {pipeline.binds}")
    return tables


def _findings(findings: tuple[Finding, ...]) -> str:
    if not findings:
        return "Findings: none"
    lines = [f"Findings ({len(findings)})"]
    for finding in findings:
        mend = f"; {finding.mend}" if finding.mend else ""
        lines.append(f"  {finding.severity:7} {finding.field}: {finding.message}{mend}")
    return "\n".join(lines)


def _conventions(projection: Projection) -> str:
    rows = [
        [f"  {term.name}", f"{shortened(term.value)} {term.unit}".strip(), term.source]
        for term in projection.conventions
    ]
    return text_table(["Conventions", "", "source"], rows, left=(0, 1, 2))
