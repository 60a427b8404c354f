"""Parts of the document: slices and shares of a device, quality figures of a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.values import shown, values
from tco.errors import InputError
from tco.inputs import CloudOffer, CoLocation, LanguageModel, Partition, Quality, Server
from tco.performance.partition import partition_of, profiles


def partition(
    path: str,
    given: Mapping[str, Any],
    machine: Server | CloudOffer | None,
    refuse: Callable[[InputError], None],
) -> Partition | None:
    """Return the slice a fleet names; one that its device does not have is refused."""
    if "partition" not in given or machine is None:
        return None
    device = machine.device
    found = partition_of(device, given["partition"])
    if found is None:
        known = profiles(device.key)
        mend = suggestion(given["partition"], known) or (
            f"use one of {', '.join(known)}" if known else "leave it out: whole devices are used"
        )
        message = f"{device.name} has no partition {shown(given['partition'])}"
        refuse(InputError(path_to(path, "partition"), message, mend))
    return found


def co_location(given: Mapping[str, Any]) -> CoLocation | None:
    """Return the share of a device that a fleet names."""
    if "co_located" not in given:
        return None
    return CoLocation(**values("co_location", given["co_located"]))


def with_quality(model: LanguageModel | None, given: Mapping[str, Any]) -> LanguageModel | None:
    """Return the model with the quality figures that its workload gives, before its own."""
    if model is None or "quality" not in given:
        return model
    own = tuple(Quality(**values("quality", item)) for item in given["quality"])
    return dataclasses.replace(model, quality=(*own, *model.quality))
