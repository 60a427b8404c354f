"""What public simulators got on the rows of the vllm_sim2real study (P16.2).

The shipped table keeps medians and counts by set, device, simulator, variant and metric; where a
folder has the predictions row by row, they are held against ours on exactly the same rows.
"""

from __future__ import annotations

import csv
import functools
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from statistics import median

import numpy as np

from tco.errors import InputError

FILE = "peers_sim2real_predictions.csv"
SOURCE = (
    "inference-sim/sim-to-real-accuracy-validation@7f3b270 (results_iter36) and @dcec3fd "
    "(results_trainval): predictions and measured values of the same runs; medians computed here"
)
WHOLE_RUN = -1
_COLUMNS = ("set", "device", "simulator", "variant", "metric", "scope", "rows", "median", "p90")
_VARIANTS = ("-estimate", "-roofline", "-evolved", "-trained-physics")


@dataclass(frozen=True, slots=True)
class PeerError:
    """Absolute percentage error of one simulator on one row."""

    set: str
    experiment: str
    stage: int
    device: str
    simulator: str
    variant: str
    metric: str
    error_fraction: float


@dataclass(frozen=True, slots=True)
class PeerSummary:
    """Errors of one simulator on one set and metric; fractions."""

    set: str
    device: str
    simulator: str
    variant: str
    metric: str
    scope: str  # whole runs | stages
    rows: int
    median: float
    p90: float


def split_name(name: str) -> tuple[str, str]:
    """Return simulator and variant.

    Examples
    --------
    >>> split_name("blis-trained-physics"), split_name("vidur")
    (('blis', 'trained-physics'), ('vidur', ''))
    """
    for ending in _VARIANTS:
        if name.endswith(ending):
            return name.removesuffix(ending), ending[1:]
    return name, ""


def read_peers(folder: str | Path) -> list[PeerError]:
    """Return the rows of `folder`'s file of peer predictions; none without the file.

    The error is computed from predicted and actual, not taken from the file. A row that the source
    repeats under another workload's name counts once.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        return []
    found: dict[tuple[str, ...], PeerError] = {}
    told = ("set", "exp", "stage_index", "device_key", "simulator", "metric_name", "predicted")
    try:
        with path.open(newline="", encoding="utf-8-sig") as handle:
            for row in csv.DictReader(handle):
                actual = float(row["actual"])
                if actual <= 0:
                    continue
                simulator, variant = split_name(row["simulator"])
                found[(*(row[name] for name in told), row["actual"])] = PeerError(
                    set=row["set"],
                    experiment=row["exp"],
                    stage=int(float(row["stage_index"])),
                    device=row["device_key"],
                    simulator=simulator,
                    variant=variant,
                    metric=row["metric_name"],
                    error_fraction=abs(float(row["predicted"]) - actual) / actual,
                )
    except (KeyError, ValueError) as error:
        raise InputError(str(path), f"cannot be used: {error!r}", "check its columns") from error
    return list(found.values())


def summarise_peers(
    rows: Iterable[PeerError], only: Collection[tuple[str, str, int, str]] | None = None
) -> list[PeerSummary]:
    """Return median and p90 error by set, device, simulator, variant, metric and scope.

    Parameters
    ----------
    only
        (set, experiment, stage, metric) of the rows to count; None counts all.
    """
    groups: dict[tuple[str, str, str, str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        if only is not None and (row.set, row.experiment, row.stage, row.metric) not in only:
            continue
        scope = "whole runs" if row.stage == WHOLE_RUN else "stages"
        key = (row.set, row.device, row.simulator, row.variant, row.metric, scope)
        groups[key].append(row.error_fraction)
    return [
        PeerSummary(*key, len(errors), median(errors), float(np.quantile(errors, 0.9)))
        for key, errors in sorted(groups.items())
    ]


@functools.cache
def shipped_peers() -> tuple[PeerSummary, ...]:
    """Return the shipped table: ``python -m tco.evidence.peers FOLDER DATE`` makes it."""
    text = resources.files("tco.evidence").joinpath("tables/peers.csv").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        PeerSummary(
            row["set"],
            row["device"],
            row["simulator"],
            row["variant"],
            row["metric"],
            row["scope"],
            int(row["rows"]),
            float(row["median"]),
            float(row["p90"]),
        )
        for row in csv.DictReader(lines)
    )


def peers_csv(rows: Iterable[PeerError], as_of: str) -> str:
    """Return the text of the shipped table."""
    lines = [
        f"# {SOURCE}",
        f"# licence of the source: none stated, figures only; as of {as_of}; errors are fractions",
        ",".join(_COLUMNS),
    ]
    for one in summarise_peers(rows):
        cells = (one.set, one.device, one.simulator, one.variant, one.metric, one.scope)
        lines.append(",".join((*cells, str(one.rows), f"{one.median:.5g}", f"{one.p90:.5g}")))
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write the shipped table from a folder of measured files."""
    folder, as_of = arguments
    path = Path(__file__).parent / "tables" / "peers.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text(peers_csv(read_peers(folder), as_of), encoding="utf-8")
    print(f"{path.name}: {sum(1 for line in path.open() if not line.startswith('#')) - 1} rows")
    return 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
