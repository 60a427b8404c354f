"""The builder's requests: the posted form as a document, and the page's context."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.http import QueryDict

from planner.scenarios.catalog_cache import catalog_stamp, kept
from planner.scenarios.choices import CATALOG_KINDS, Choices, catalog_choices
from planner.scenarios.exchange import errors_of
from planner.scenarios.form_document import PRESETS, document_from_form, places
from planner.scenarios.form_layout import LAYOUT
from planner.scenarios.form_view import STATUSES, Builder
from planner.scenarios.paths import path_label, split_path
from tco.errors import InputError, InputErrors

if TYPE_CHECKING:
    from accounts.models import Organisation


def choices_for(organisation: Organisation | None, document: dict[str, Any]) -> Choices:
    """Return the names of the catalog; a document with its own entries gets its own copy."""
    if document.get("catalog"):
        return catalog_choices(organisation=organisation, document=document)
    choices: Choices = kept(
        "choices",
        organisation,
        catalog_stamp(),
        lambda: catalog_choices(organisation=organisation, document={}),
    )
    return choices


def posted_document(data: QueryDict, organisation: Organisation | None) -> dict[str, Any]:
    """Return the document that a posted builder form describes.

    Raises
    ------
    tco.errors.InputErrors
        If the form does not carry the document it was made from.
    """
    try:
        base = json.loads(data.get("document", ""))
    except json.JSONDecodeError:
        base = None
    if not isinstance(base, dict):
        raise InputErrors(
            (InputError("document", "the form lost its document", "reload the page"),)
        )
    return document_from_form(base, data, choices_for(organisation, base))


def messages_by_path(error: InputError | InputErrors | None) -> dict[str, list[str]]:
    """Return the messages of errors by the path of their field, the mend included."""
    found: dict[str, list[str]] = {}
    for item in errors_of(error) if error is not None else ():
        text = item.message + (f": {item.mend}" if item.mend else "")
        found.setdefault(item.field, []).append(text[:1].upper() + text[1:] + ".")
    return found


def slots(document: dict[str, Any]) -> set[str]:
    """Return every path that has a place for findings in the form."""
    found: set[str] = set()
    for prefix, section, _ in places(document):
        if prefix:
            found.add(prefix)
        for group in LAYOUT[section]:
            found.update(f"{prefix}.{name}" if prefix else name for name in group.names)
    return found


def slot_for(path: str, known: set[str]) -> str:
    """Return the place nearest to a path: itself, or the row it is in; empty if there is none.

    >>> slot_for("options[0].fleets[1].server", {"options[0]", "options[0].fleets[1]"})
    'options[0].fleets[1]'
    """
    while path and path not in known:
        steps = split_path(path)
        cut = f"[{steps[-1]}]" if isinstance(steps[-1], int) else str(steps[-1])
        path = path[: -len(cut)].rstrip(".")
    return path


def builder_context(
    document: dict[str, Any],
    organisation: Organisation | None,
    error: InputError | InputErrors | None = None,
) -> dict[str, Any]:
    """Return what the builder's templates need."""
    choices = choices_for(organisation, document)
    builder = Builder(document, choices, messages_by_path(error))
    form = builder.form()
    return {
        "form": form,
        "document_json": json.dumps(document, ensure_ascii=False, default=str),
        "datalists": [(kind, choices.names(kind)) for kind in CATALOG_KINDS],
        "statuses": STATUSES,
        "presets": [(key, label) for key, (label, _) in PRESETS.items()],
        "other_errors": [
            (path_label(document, path) or path, message) for path, message in form.other_errors
        ],
        "error_count": sum(len(messages) for messages in builder.errors.values()),
    }
