"""The form of one entry of the price book."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django import forms

from tco.document.price_book import CODES, COMMITMENTS, AgreedPrice
from tco.errors import InputError

_DATE = {"type": "date"}
_TEXT = {"autocomplete": "off", "spellcheck": "false"}


class AgreementForm(forms.Form):
    """What was agreed; the services say what does not go together."""

    kind = forms.ChoiceField(
        label="What", choices=(("server", "Server"), ("offer", "Cloud instance"))
    )
    key = forms.CharField(
        label="Key in the catalog",
        max_length=200,
        widget=forms.TextInput(attrs={**_TEXT, "list": "keys"}),
    )
    device = forms.CharField(
        label="Device in its slots",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={**_TEXT, "list": "devices"}),
        help_text="Of a server that takes several; empty: any.",
    )
    commitment = forms.ChoiceField(
        label="Commitment",
        required=False,
        choices=(("", "–"), *((one, one.replace("_", " ")) for one in COMMITMENTS)),
        help_text="Of a cloud instance.",
    )
    price = forms.DecimalField(
        label="Net price",
        required=False,
        min_value=Decimal("0.0001"),
        max_digits=20,
        decimal_places=8,
        help_text="Per server, or per instance-hour; or a discount.",
    )
    currency = forms.ChoiceField(
        label="Currency", choices=tuple((code, code) for code in CODES), initial="USD"
    )
    discount_percent = forms.DecimalField(
        label="Discount off the list price",
        required=False,
        min_value=Decimal("0.01"),
        max_value=Decimal("99.99"),
        decimal_places=4,
        max_digits=8,
    )
    supplier = forms.CharField(label="Supplier", max_length=200)
    reference = forms.CharField(label="Quote reference", max_length=200)
    valid_from = forms.DateField(label="Holds from", widget=forms.DateInput(attrs=_DATE))
    valid_to = forms.DateField(label="To, last day", widget=forms.DateInput(attrs=_DATE))
    minimum_quantity = forms.IntegerField(
        label="From how many on", required=False, min_value=1, max_value=10**6
    )
    note = forms.CharField(label="Note", required=False, max_length=200)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["discount_percent"].unit = "%"  # type: ignore[attr-defined]

    def entry(self) -> AgreedPrice:
        """Return the valid form as an entry."""
        given = dict(self.cleaned_data)
        percent = given.pop("discount_percent")
        given["discount_fraction"] = None if percent is None else percent / 100
        if given["kind"] == "offer" and not given["commitment"]:
            given["commitment"] = COMMITMENTS[0]
        for day in ("valid_from", "valid_to"):
            given[day] = given[day].isoformat()
        return AgreedPrice(**given)

    def take_errors(self, errors: Iterable[InputError]) -> None:
        """Put each error beside its field."""
        for error in errors:
            name = {"discount_fraction": "discount_percent"}.get(error.field, error.field)
            said = f"{error.message[:1].upper()}{error.message[1:]}: {error.mend}."
            self.add_error(name if name in self.fields else None, said)
