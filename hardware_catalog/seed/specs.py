"""What each kind of catalog entry holds: one declaration for files, database, forms and pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextSpec:
    """A text attribute."""

    name: str
    label: str
    choices: tuple[str, ...] = ()
    many: bool = False  # several choices, kept as a semicolon list
    required: bool = False
    help: str = ""


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """A number with a unit.

    `column`, `low`, `high` name columns of the seed file. `basis`, `evidence`, `source` and
    `as_of` name columns that override the row's own; a text after ``=`` is taken as it stands.
    """

    name: str
    unit: str  # empty: the row's `unit` column says it
    label: str
    column: str = ""
    low: str = ""
    high: str = ""
    basis: str = "basis"
    evidence: str = "evidence"
    source: str = "source"
    as_of: str = "source_date"
    whole: bool = False
    required: bool = False
    minimum: float = 0.0
    maximum: float = 1e9

    @property
    def value_column(self) -> str:
        """Column of the value."""
        return self.column or self.name


@dataclass(frozen=True, slots=True)
class PriceSpec:
    """A series of dated prices."""

    series: str
    unit: str
    label: str
    mid: str = ""
    low: str = ""
    high: str = ""
    basis: str = "price_basis"
    evidence: str = "price_evidence"
    source: str = "price_source"
    as_of: str = "price_date"
    maximum: float = 1e9


@dataclass(frozen=True, slots=True)
class KindSpec:
    """A kind of entry. `key` and `name` are columns; `slug` turns the key columns into a slug."""

    kind: str
    label: str
    plural: str
    about: str
    file: str
    key: tuple[str, ...]
    name: tuple[str, ...]
    vendor: str = ""
    vendor_label: str = "Vendor"
    vendor_required: bool = False
    slug: bool = True
    texts: tuple[TextSpec, ...] = ()
    figures: tuple[FigureSpec, ...] = ()
    prices: tuple[PriceSpec, ...] = ()
    list_columns: tuple[str, ...] = ()  # names of texts, figures or price series
    lifecycle: bool = False
    addable: bool = False  # people may add their own through a form
    imported: bool = False  # people may add their own out of a file

    @property
    def may_be_own(self) -> bool:
        """Whether an organisation can have entries of its own."""
        return self.addable or self.imported

    def figure(self, name: str) -> FigureSpec | None:
        """Return the specification of figure `name`."""
        return next((spec for spec in self.figures if spec.name == name), None)

    def text(self, name: str) -> TextSpec | None:
        """Return the specification of text `name`."""
        return next((spec for spec in self.texts if spec.name == name), None)

    def price(self, series: str) -> PriceSpec | None:
        """Return the specification of price series `series`."""
        return next((spec for spec in self.prices if spec.series == series), None)


# What a device or a server can promise a workload.
SECURITY_FEATURES = ("confidential_computing", "encrypted_memory", "secure_boot", "attestation")
FEATURE_LABELS = {
    "confidential_computing": "Confidential computing",
    "encrypted_memory": "Encrypted memory",
    "secure_boot": "Secure boot",
    "attestation": "Attestation",
}
NOTES = TextSpec("notes", "Notes")
