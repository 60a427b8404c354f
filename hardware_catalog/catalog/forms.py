"""Forms of own entries, made from the specification of the kind."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from django import forms

from hardware_catalog.catalog.entry_input import BY_HAND, EntryInput, FigureInput, PriceInput
from hardware_catalog.catalog.words import CHOICE_LABELS
from hardware_catalog.seed.record import Record
from hardware_catalog.seed.specs import FigureSpec, KindSpec, TextSpec
from tco.errors import InputErrors

STATUS_CHOICES = [("", "Assumed, without a source")] + [
    (word, word.capitalize()) for word in BY_HAND
]
DATES = (
    ("release_date", "Released"),
    ("end_of_sale", "End of sale"),
    ("end_of_support", "End of support"),
)
_PEDIGREE = re.compile(r"^(figures\.\w+|prices\[\d+\]|price)\.(status|source|as_of|price_date)$")


class NumberField(forms.Field):
    """A number; what is not one is named in the message."""

    def __init__(self, *, unit: str = "", **kwargs: Any) -> None:
        self.unit = unit
        widget = forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"})
        super().__init__(required=False, widget=widget, **kwargs)

    def to_python(self, value: Any) -> float | None:
        """Return the number, None for an empty field, or fail with the value in the message."""
        text = str(value).strip() if value is not None else ""
        if not text:
            return None
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise forms.ValidationError(f"{text} is not a number: enter one such as 700 or 0.5.")
        return number


def _text_field(spec: TextSpec) -> forms.Field:
    labelled = [(word, CHOICE_LABELS.get(word, word)) for word in spec.choices]
    if spec.many:
        return forms.MultipleChoiceField(
            label=spec.label,
            choices=labelled,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            help_text=spec.help,
        )
    if spec.choices:
        return forms.ChoiceField(
            label=spec.label,
            choices=[("", "Choose"), *labelled],
            required=False,
            help_text=spec.help,
        )
    widget = forms.Textarea(attrs={"rows": 3}) if spec.name == "notes" else None
    return forms.CharField(
        label=spec.label, required=False, max_length=2000, widget=widget, help_text=spec.help
    )


def _range_help(spec: FigureSpec) -> str:
    words = f"{spec.minimum:,.6g} or more"
    if spec.maximum <= 1e6:
        words = f"{spec.minimum:,.6g} to {spec.maximum:,.0f}"
    whole = ", whole number" if spec.whole else ""
    return f"{words}{whole}." + (" Required." if spec.required else "")


def _shown(value: float) -> str:
    """Return a number as it is typed: no needless decimals, no lost digits."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


class PedigreeForm(forms.Form):
    """Where the numbers come from."""

    source = forms.CharField(
        label="Source",
        required=False,
        max_length=500,
        help_text="Document, quote or person. Without one the figures are assumed.",
    )
    status = forms.ChoiceField(
        label="Status",
        required=False,
        choices=STATUS_CHOICES,
        help_text="Measured comes from trusted benchmark runs only.",
    )
    as_of = forms.CharField(
        label="Date of the source",
        required=False,
        max_length=10,
        help_text="A year, a month or a day: 2026, 2026-05 or 2026-05-31.",
    )
    message = forms.CharField(
        label="What you change, and why",
        required=False,
        max_length=400,
        help_text="Kept in the history.",
    )

    def take_errors(self, found: InputErrors) -> None:
        """Put each error beside the field it is about; the same error only once."""
        said: set[tuple[str | None, str]] = set()
        for error in found.errors:
            place = self.place_of(error.field)
            words = f"{error.message[:1].upper()}{error.message[1:]}"
            words += f": {error.mend}." if error.mend else "."
            if (place, words) not in said:
                said.add((place, words))
                self.add_error(place, words)

    def place_of(self, path: str) -> str | None:
        """Return the form field of a path; None is the form as a whole."""
        name = path
        if match := _PEDIGREE.match(path):
            name = {"price_date": "as_of"}.get(match[2], match[2])
        elif path.startswith("figures."):
            name = f"figure-{path.split('.')[1]}"
        elif path.startswith("attributes."):
            name = f"text-{path.split('.')[1]}"
        elif path.startswith("price."):
            name = path.split(".")[1]
        return name if name in self.fields else None


class EntryForm(PedigreeForm):
    """A new or changed entry of one kind."""

    field_order = ()

    def __init__(self, spec: KindSpec, data: Any = None, *, record: Record | None = None) -> None:
        super().__init__(data, initial=_initial(spec, record))
        self.spec = spec
        self.record = record
        self.fields["name"] = forms.CharField(label="Name", max_length=200, required=False)
        self.fields["vendor"] = forms.CharField(
            label=spec.vendor_label, max_length=100, required=spec.vendor_required
        )
        if spec.lifecycle:
            for name, label in DATES:
                self.fields[name] = forms.CharField(label=label, max_length=10, required=False)
        for text in spec.texts:
            self.fields[f"text-{text.name}"] = _text_field(text)
        for figure in spec.figures:
            self.fields[f"figure-{figure.name}"] = NumberField(
                unit=figure.unit, label=figure.label, help_text=_range_help(figure)
            )
        if record is None:
            for price in self._series():
                for bound, word in (("low", "low"), ("mid", "middle"), ("high", "high")):
                    self.fields[f"price-{price.series}-{bound}"] = NumberField(
                        unit=price.unit, label=f"{price.label}, {word}"
                    )
        else:
            self.fields["applies_to"] = forms.ChoiceField(
                label="The source holds for",
                required=False,
                choices=[("changed", "Figures I enter or change"), ("all", "All figures above")],
            )
            self.fields["version"] = forms.CharField(required=False, widget=forms.HiddenInput)

    def _series(self) -> list[Any]:
        return [price for price in self.spec.prices if "derived" not in price.series]

    def group(self, prefix: str) -> list[forms.BoundField]:
        """Return the fields whose names start with `prefix`."""
        return [self[name] for name in self.fields if name.startswith(prefix)]

    @property
    def identity(self) -> list[forms.BoundField]:
        """Name, vendor and dates."""
        names = ["name", "vendor", *(name for name, _ in DATES if name in self.fields)]
        return [self[name] for name in names]

    @property
    def texts(self) -> list[forms.BoundField]:
        """Text attributes."""
        return self.group("text-")

    @property
    def figures(self) -> list[forms.BoundField]:
        """Figures."""
        return self.group("figure-")

    @property
    def prices(self) -> list[forms.BoundField]:
        """Prices of a new entry."""
        return self.group("price-")

    @property
    def pedigree(self) -> list[forms.BoundField]:
        """Source, status, date."""
        return [
            self[name]
            for name in ("source", "status", "as_of", "applies_to")
            if name in self.fields
        ]

    def place_of(self, path: str) -> str | None:
        """Return the form field of a path."""
        if match := re.match(r"^prices\[(\d+)\]\.(low|mid|high)$", path):
            given = self._given_prices(self.cleaned_data)
            return f"price-{given[int(match[1])].series}-{match[2]}"
        return super().place_of(path)

    def _given_prices(self, data: dict[str, Any]) -> list[PriceInput]:
        found = []
        if self.record is not None:
            return []
        for price in self._series():
            low, mid, high = (
                data.get(f"price-{price.series}-{bound}") for bound in ("low", "mid", "high")
            )
            if low is not None or mid is not None or high is not None:
                found.append(
                    PriceInput(
                        series=price.series,
                        low=low,
                        mid=mid,
                        high=high,
                        status=data["status"],
                        source=data["source"],
                        price_date=data["as_of"],
                    )
                )
        return found

    def to_input(self) -> EntryInput:
        """Return what was entered, for the service."""
        data = self.cleaned_data
        held = self.record.figures if self.record else {}
        figures: dict[str, FigureInput | None] = {}
        for spec in self.spec.figures:
            value = data.get(f"figure-{spec.name}")
            old = held.get(spec.name)
            if value is None:
                if old is not None:
                    figures[spec.name] = None
                continue
            changed = old is None or old.value != value
            told = changed or data.get("applies_to") == "all"
            figures[spec.name] = FigureInput(
                value=value,
                low=None if changed or old is None else old.low,
                high=None if changed or old is None else old.high,
                status=data["status"] if told else "",
                source=data["source"] if told else "",
                as_of=data["as_of"] if told else "",
            )
        return EntryInput(
            name=data["name"],
            vendor=data["vendor"],
            attributes={spec.name: self._text(spec) for spec in self.spec.texts},
            figures=figures,
            prices=self._given_prices(data),
            release_date=data.get("release_date"),
            end_of_sale=data.get("end_of_sale"),
            end_of_support=data.get("end_of_support"),
        )

    def _text(self, spec: TextSpec) -> str:
        value = self.cleaned_data.get(f"text-{spec.name}", "")
        return ";".join(value) if isinstance(value, list) else str(value)


def _initial(spec: KindSpec, record: Record | None) -> dict[str, Any]:
    if record is None:
        return {}
    initial: dict[str, Any] = {
        "name": record.name,
        "vendor": record.vendor,
        "applies_to": "changed",
        **{name: getattr(record, name) for name, _ in DATES},
    }
    for text in spec.texts:
        value = record.text(text.name)
        initial[f"text-{text.name}"] = (
            [part for part in value.split(";") if part] if text.many else value
        )
    for name, figure in record.figures.items():
        initial[f"figure-{name}"] = _shown(figure.value)
    return initial


class PriceForm(PedigreeForm):
    """One dated price."""

    field_order = ("series", "low", "mid", "high", "as_of", "source", "status", "quote_reference")

    series = forms.ChoiceField(label="Price")
    low = NumberField(label="Low")
    mid = NumberField(label="Middle")
    high = NumberField(label="High")
    quote_reference = forms.CharField(
        label="Quote reference", required=False, max_length=100, help_text="If it was quoted."
    )

    def __init__(self, spec: KindSpec, data: Any = None) -> None:
        super().__init__(data)
        self.spec = spec
        choices: Iterable[tuple[str, str]] = [
            (price.series, f"{price.label} ({price.unit})")
            for price in spec.prices
            if "derived" not in price.series
        ]
        field = self.fields["series"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)

    def to_input(self) -> PriceInput:
        """Return what was entered, for the service."""
        data = self.cleaned_data
        return PriceInput(
            series=data["series"],
            low=data["low"],
            mid=data["mid"],
            high=data["high"],
            status=data["status"],
            source=data["source"],
            price_date=data["as_of"],
            quote_reference=data["quote_reference"],
        )


class ConfirmForm(forms.Form):
    """Name and vendor of an uploaded device."""

    name = forms.CharField(label="Name", max_length=200)
    vendor = forms.CharField(label="Vendor", max_length=100)
