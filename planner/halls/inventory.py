"""What stands in a scenario's hall, from files into a new revision, and back into files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.projections.services import projection_get_or_run
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_revise
from planner.scenarios.to_engine import revision_inputs, scenario_inputs
from tco.document import document_hash
from tco.document.inventory.exchange import hall_at, planned_files, standing_files, taken
from tco.errors import InputError

if TYPE_CHECKING:
    from accounts.models import User
    from planner.models import Scenario


@dataclass(frozen=True, slots=True)
class Taken:
    """What an import does to the hall; `revision` is its new number, None when only tried."""

    racks: int
    devices: int
    pools: int
    changed: bool
    revision: int | None


def inventory_import(
    *,
    scenario: Scenario,
    site: str,
    files: Mapping[str, str],
    by: User | None = None,
    dry_run: bool = False,
) -> Taken:
    """Put racks, devices and nodes out of files into the hall of a site, as a new revision.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        No file, no such site; every error of every file with row and column; a hall that cannot
        be after it. Nothing is stored then.
    """
    if not files:
        raise InputError("files", "none was sent", "send racks, devices or nodes")
    revision = revision_get(scenario=scenario)
    found = taken(revision.document, site or None, files)
    scenario_inputs(document=found, organisation=scenario.organisation)
    hall = hall_at(found, site or None)
    counts = {name: len(hall.get(name, [])) for name in ("racks", "devices", "pools")}
    changed = document_hash(found) != revision.document_hash
    if dry_run:
        return Taken(**counts, changed=changed, revision=None)
    stored = scenario_revise(
        scenario=scenario,
        document=found,
        base_number=revision.number,
        by=by,
        message="What stands, from files",
    )
    return Taken(**counts, changed=changed, revision=stored.number)


def inventory_files(*, scenario: Scenario, site: str, option: str) -> dict[str, str]:
    """Return the files of a hall: what stands, and the plan of an option, by name.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        No such site or option; a scenario that cannot be projected.
    """
    revision = revision_get(scenario=scenario)
    found = standing_files(revision.document, site or None)
    result = projection_get_or_run(revision=revision).result
    halls = result["halls"]
    key = option or next(iter(halls), "")
    if key not in halls:
        raise InputError("option", f"{key!r} is no option", f"use one of {', '.join(halls)}")
    hall = next((one for one in halls[key] if site in ("", one["site"])), None)
    if hall is None:
        return found
    inputs = revision_inputs(revision)
    fleets = next((one.fleets for one in inputs.options if one.key == key), ())
    return found | planned_files(revision.document, hall["site"], hall["racks"], fleets)
