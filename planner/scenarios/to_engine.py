"""From a scenario document and the organisation's catalog to the engine's inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardware_catalog.to_engine import DatabaseCatalog
from tco.document import resolve
from tco.inputs import ScenarioInputs

if TYPE_CHECKING:
    from accounts.models import Organisation
    from planner.models import ScenarioRevision
    from tco.document.catalog import Catalog


def catalog_of(organisation: Organisation | None) -> DatabaseCatalog:
    """Return what an organisation can name; None sees the shared catalog only."""
    return DatabaseCatalog(organisation)


def scenario_inputs(
    *, document: dict[str, Any], organisation: Organisation | None, catalog: Catalog | None = None
) -> ScenarioInputs:
    """Return the inputs of a document.

    Raises
    ------
    tco.errors.InputErrors
        With every error of the document at once.
    """
    return resolve(document, catalog or catalog_of(organisation))


def revision_inputs(revision: ScenarioRevision) -> ScenarioInputs:
    """Return the inputs of a revision with the figures of today.

    Raises
    ------
    tco.errors.InputErrors
        The catalog no longer has something that the revision names.
    """
    return scenario_inputs(document=revision.document, organisation=revision.scenario.organisation)
