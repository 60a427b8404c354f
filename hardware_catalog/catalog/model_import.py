"""A model hub's config.json as an organisation's own model."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Organisation
from hardware_catalog.catalog.entry_input import EntryInput, FigureInput
from hardware_catalog.catalog.services import Author, entry_create, entry_revise
from hardware_catalog.models import CatalogEntry
from hardware_catalog.models.as_record import as_record
from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.status import ESTIMATED, PUBLISHED
from hardware_catalog.seed.to_engine.language_models import language_model
from hardware_catalog.seed.to_engine.shapes import SHAPE_TEXTS, shape_counts, shape_texts
from tco.document.huggingface import model_from_config, model_from_text
from tco.errors import InputError, InputErrors

if TYPE_CHECKING:
    from tco.inputs import LanguageModel

KIND = "language_model"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")
NAME_MOST = 200
TEXT_MOST = 500_000
EVIDENCE = "read from the file"
COMPUTED = "counted from the shape in its config.json"


def model_of(config: str | Mapping[str, Any], name: str) -> LanguageModel:
    """Return the model that a config.json, as text or as a mapping, describes (P1).

    Raises
    ------
    InputErrors
        With fields ``config`` or ``config.KEY``, KEY being the one that is missing or wrong.
    """
    try:
        if not isinstance(config, str):
            return model_from_config(config, name)
        if not config.strip():
            raise InputErrors(
                (InputError("config", "nothing is given", "choose a file or paste its text"),)
            )
        if len(config) > TEXT_MOST:
            message = f"{len(config):,} characters are too many"
            mend = f"a config.json has a few thousand; at most {TEXT_MOST:,} are read"
            raise InputErrors((InputError("config", message, mend),))
        return model_from_text(config, name)
    except RecursionError:
        error = InputError("config", "it is nested too deep", "give the file as it is on the hub")
        raise InputErrors((error,)) from None
    except InputError as error:
        field = "config" if error.field == "config.json" else f"config.{error.field}"
        raise InputErrors((InputError(field, error.message, error.mend),)) from None


def check_name(*, organisation: Organisation, name: str) -> CatalogEntry | None:
    """Return the own entry that an import under `name` replaces, or None.

    Raises
    ------
    InputErrors
        If the name cannot be used, is one of the shared catalog, or is archived.
    """
    fault = None
    taken = CatalogEntry.objects.filter(kind=KIND, key=name)
    own = taken.filter(organisation=organisation).first()
    if not name:
        fault = InputError("name", "the name is missing", "give one such as vendor/model")
    elif len(name) > NAME_MOST or not NAME.fullmatch(name):
        fault = InputError(
            "name",
            f"{name[:60]!r} cannot be a name",
            f"use letters, digits, dots, hyphens and slashes, {NAME_MOST} at most",
        )
    elif own is not None and own.archived:
        fault = InputError(
            "name", f"{name} is among your archived models", "take it back, or choose another name"
        )
    elif own is None and taken.filter(organisation=None, archived=False).exists():
        fault = InputError(
            "name", f"the shared catalog has {name}", "use that one, or choose another name"
        )
    if fault is not None:
        raise InputErrors((fault,))
    return own


def entry_of(model: LanguageModel, *, source: str, as_of: str) -> EntryInput:
    """Return a model as what a person enters: counts as published, the total as estimated."""
    counts = {
        name: FigureInput(
            float(count), status=PUBLISHED, source=source, as_of=as_of, evidence=EVIDENCE
        )
        for name, count in shape_counts(model).items()
    }
    total = FigureInput(
        model.parameters_g.value, status=ESTIMATED, source=COMPUTED, evidence=EVIDENCE
    )
    developer, slash, _ = model.name.partition("/")
    return EntryInput(
        name=model.name,
        vendor=developer[:100] if slash else "",
        attributes=shape_texts(model),
        figures={**counts, "total_params_billion_computed": total},
    )


@transaction.atomic
def model_import(
    *,
    organisation: Organisation,
    config: str | Mapping[str, Any],
    name: str,
    author: Author,
    source: str = "",
    message: str = "",
) -> CatalogEntry:
    """Keep the model of a config.json as an own entry; one of the same name is brought to it.

    Raises
    ------
    InputErrors
        With fields ``name``, ``config`` or ``config.KEY``.
    """
    name = name.strip()
    errors: list[InputError] = []
    own = model = None
    try:
        own = check_name(organisation=organisation, name=name)
    except InputErrors as found:
        errors += found.errors
    try:
        model = model_of(config, name)
    except InputErrors as found:
        errors += found.errors
    if errors or model is None:
        raise InputErrors(tuple(errors))
    given = entry_of(
        model,
        source=source.strip() or f"config.json of {name}",
        as_of=timezone.localdate().isoformat(),
    )
    try:
        if own is None:
            entry = entry_create(
                organisation=organisation,
                spec=all_kinds()[KIND],
                given=given,
                author=author,
                message=message or "Imported from a config.json",
                key=name,
            )
        else:
            entry = entry_revise(
                organisation=organisation,
                entry=own,
                given=_instead_of(own, given),
                author=author,
                message=message or "Imported again from a config.json",
            )
    except InputErrors as found:
        raise InputErrors(tuple(_of_shape(error) for error in found.errors)) from None
    _check_kept(entry, model)
    return entry


def _check_kept(entry: CatalogEntry, model: LanguageModel) -> None:
    """Refuse a shape that the catalog has no words for: scenarios would size another model."""
    kept = language_model(as_record(entry))
    same = dataclasses.replace(kept, parameters_g=model.parameters_g)
    if not kept.supported or same != model:
        message = kept.why_unsupported or "the catalog cannot hold this shape"
        mend = "put it into a scenario's own models, as `tco import-model` writes it"
        raise InputErrors((InputError("config", message, mend),))


def _instead_of(own: CatalogEntry, given: EntryInput) -> EntryInput:
    """Return `given`, with what only the old entry has taken away; notes and dates stay."""
    held = as_record(own)
    return EntryInput(
        name=given.name,
        vendor=given.vendor,
        attributes={name: "" for name in held.attributes if name in SHAPE_TEXTS}
        | dict(given.attributes),
        figures=dict.fromkeys(held.figures) | dict(given.figures),
    )


def _of_shape(error: InputError) -> InputError:
    """Return an error of a catalog figure as one of the file it was read from."""
    if error.field.startswith("figures."):
        return InputError("config", error.message, "check the config")
    return error
