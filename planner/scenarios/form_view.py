"""What the builder page shows: fields, groups and rows made from a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from planner.scenarios.form_document import get_value, preset_of
from planner.scenarios.form_layout import LAYOUT, ROWS, WORDS, field_of, hidden_parts
from planner.scenarios.form_values import ABSENT, Names, field_text, number_text
from planner.scenarios.paths import field_at
from tco.fields import Field
from tco.fields import field as dictionary_field

STATUSES = dictionary_field("figure", "status").choices
LIST_KINDS = {"model", "region", "server", "device", "offer", "cooling", "rack", "feed"}


@dataclass(frozen=True, slots=True)
class FormField:
    """One labelled input."""

    path: str
    html_id: str
    label: str
    unit: str
    help: str
    widget: str  # text | number | list | select | checks | area | shape
    text: str
    placeholder: str
    required: bool
    choices: tuple[tuple[str, str], ...] = ()
    chosen: tuple[str, ...] = ()
    datalist: str = ""
    figure: bool = False
    status: str = ""
    source: str = ""
    verified_range: str = ""
    preset: str = ""
    unknown: bool = False  # a choice the dictionary does not know: kept, so that it can be mended
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormGroup:
    """Fields under one heading."""

    title: str
    fields: tuple[FormField, ...]
    folded: bool
    opened: bool


@dataclass(frozen=True, slots=True)
class FormRow:
    """One site, workload, target, option or fleet."""

    path: str
    html_id: str
    word: str
    title: str
    legend: str  # the title with the word before it, where the title does not say it
    groups: tuple[FormGroup, ...]
    lists: tuple[FormList, ...]
    kept: tuple[str, ...]
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormList:
    """Rows of one kind, and what adds another."""

    path: str
    word: str
    rows: tuple[FormRow, ...]


@dataclass(frozen=True, slots=True)
class BuilderForm:
    """The whole form."""

    head: tuple[FormGroup, ...]
    finance: tuple[FormGroup, ...]
    sites: FormList
    workloads: FormList
    options: FormList
    kept: tuple[str, ...]
    other_errors: tuple[tuple[str, str], ...]  # (path, message) of errors without a field here


def html_id(path: str) -> str:
    """Return a path as an id.

    >>> html_id("sites[0].pue")
    'f-sites-0-pue'
    """
    return "f-" + path.replace("].", "-").replace("[", "-").replace(".", "-").rstrip("]")


def word(text: str) -> str:
    """Return a word of the document for people.

    >>> word("on_demand"), word("2N"), word("ttft")
    ('on demand', '2N', 'time to first token')
    """
    return {
        "ttft": "time to first token",
        "tpot": "time per output token",
        "e2e": "whole answer",
        "calendar": "days of each month",
    }.get(text, text.replace("_", " "))


def unit_text(unit: str) -> str:
    """Return a unit for people: pure numbers carry a word that says what they are."""
    return {"10^9": "thousand million"}.get(unit, unit)


class Builder:
    """Makes the form of one document, with its errors beside the fields."""

    def __init__(
        self, document: dict[str, Any], names: Names, errors: Mapping[str, Iterable[str]]
    ) -> None:
        self.document = document
        self.names = names
        self.errors = {path: tuple(messages) for path, messages in errors.items()}
        self.used: set[str] = set()

    def form(self) -> BuilderForm:
        """Return the form."""
        finance = self.document.get("finance")
        head = self._groups("", "scenario", self.document)
        money = self._groups("finance", "finance", finance if isinstance(finance, dict) else {})
        lists = [self._list("", name, self.document) for name in ("sites", "workloads", "options")]
        kept = self._kept("scenario", self.document)
        other = tuple(
            (path, message)
            for path, messages in self.errors.items()
            if path not in self.used
            for message in messages
        )
        return BuilderForm(head, money, lists[0], lists[1], lists[2], kept, other)

    def _errors(self, path: str, inside: bool) -> tuple[str, ...]:
        """Errors of a path; of everything below it too, where nothing below has a place."""
        found: tuple[str, ...] = ()
        for key, messages in self.errors.items():
            below = inside and key.startswith((f"{path}.", f"{path}["))
            if (key == path or below) and key not in self.used:
                self.used.add(key)
                found += messages
        return found

    def _groups(self, prefix: str, section: str, part: dict[str, Any]) -> tuple[FormGroup, ...]:
        groups = []
        for group in LAYOUT[section]:
            fields = tuple(self._field(prefix, section, name, part) for name in group.names)
            opened = any(field.text or field.chosen or field.errors for field in fields)
            groups.append(FormGroup(group.title, fields, group.folded, opened))
        return tuple(groups)

    def _field(self, prefix: str, section: str, name: str, part: dict[str, Any]) -> FormField:
        field = field_of(section, name)
        path = f"{prefix}.{name}" if prefix else name
        value = get_value(part, name)
        widget, choices, datalist = self._widget(field)
        figure = value if field.kind == "figure" and isinstance(value, dict) else {}
        text = field_text(field, value, self.names)
        limits = ""
        if field.minimum is not None and field.maximum is not None:
            limits = f"{field.minimum:,g} to {field.maximum:,g}"
        low, high = figure.get("low"), figure.get("high")
        return FormField(
            path=path,
            html_id=html_id(path),
            label=field.label,
            unit=unit_text(field.unit),
            help=field.description + (f" Between {limits}." if limits else ""),
            widget="shape" if name == "daily_shape" else widget,
            text=text,
            placeholder=self._placeholder(field),
            required=field.required,
            choices=choices,
            chosen=tuple(map(str, value)) if isinstance(value, list) else (),
            datalist=datalist,
            figure=field.kind == "figure" and value is not ABSENT,
            status=str(figure.get("status", "assumed")) if figure or value is not ABSENT else "",
            source=str(figure.get("source", "")),
            verified_range=f"{number_text(low)} to {number_text(high)}" if low or high else "",
            preset=preset_of(value) if name == "daily_shape" else "",
            unknown=widget == "select" and bool(text) and text not in dict(choices),
            errors=self._errors(path, inside=True),
        )

    def _placeholder(self, field: Field) -> str:
        if not field.default:
            return ""
        if field.kind == "ref":
            return self.names.label(field.of, field.default)
        return word(field.default) if field.kind == "choice" else field.default

    def _widget(self, field: Field) -> tuple[str, tuple[tuple[str, str], ...], str]:
        """Widget, its choices, and the datalist it draws from."""
        if field.kind == "local":
            return "select", self._local(field.of), ""
        if field.kind == "ref":
            return "list", (), field.of
        if field.kind == "choice":
            return "select", tuple((choice, word(choice)) for choice in field.choices), ""
        if field.kind == "choices":
            return "checks", tuple((choice, word(choice)) for choice in field.choices), ""
        if field.kind == "boolean":
            return "select", (("yes", "yes"), ("no", "no")), ""
        if field.name in {"description"}:
            return "area", (), ""
        if field.kind in {"figure", "number", "integer"}:
            return "number", (), ""
        return "text", (), ""

    def _local(self, name: str) -> tuple[tuple[str, str], ...]:
        items = self.document.get(name)
        return tuple(
            (str(item["key"]), str(item.get("name") or item["key"]))
            for item in (items if isinstance(items, list) else [])
            if isinstance(item, dict) and item.get("key")
        )

    def _list(self, prefix: str, name: str, part: dict[str, Any]) -> FormList:
        path = f"{prefix}.{name}" if prefix else name
        items = part.get(name)
        rows = tuple(
            self._row(f"{path}[{index}]", ROWS[name], item, index)
            for index, item in enumerate(items if isinstance(items, list) else [])
            if isinstance(item, dict)
        )
        return FormList(path, WORDS[ROWS[name]], rows)

    def _row(self, path: str, section: str, item: dict[str, Any], index: int) -> FormRow:
        lists = {"workload": ("targets",), "option": ("fleets",)}.get(section, ())
        groups = self._groups(path, section, item)
        inner = tuple(self._list(path, name, item) for name in lists)
        word = WORDS[section].capitalize()
        title = str(item.get("name") or f"{word} {index + 1}")
        return FormRow(
            path=path,
            html_id=html_id(path),
            word=WORDS[section],
            title=title,
            legend=title if title.startswith(word) else f"{word}: {title}",
            groups=groups,
            lists=inner,
            kept=self._kept(section, item),
            errors=self._errors(path, inside=True),  # what has no field of its own
        )

    def _kept(self, section: str, part: dict[str, Any]) -> tuple[str, ...]:
        """Parts the form does not show but the document has, in words."""
        kept = []
        for name in hidden_parts(section):
            value = part.get(name)
            if value in (None, [], {}):
                continue
            field = dictionary_field(section, name)
            label = field.label.lower()
            if section == "scenario" and name == "catalog" and isinstance(value, dict):
                parts = [
                    f"{len(items)} {(field_at(f'catalog.{kind}') or field).label.lower()}"
                    for kind, items in value.items()
                    if isinstance(items, list) and items
                ]
                label += f" ({', '.join(parts)})" if parts else ""
            elif name == "service" and isinstance(value, dict):
                points = value.get("points")
                label += f" ({len(points) if isinstance(points, list) else 0} measured points)"
            kept.append(label)
        return tuple(kept)
