"""Page that turns a model hub's config.json into an own model."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import Organisation
from hardware_catalog.catalog.access import writer_page
from hardware_catalog.catalog.model_import import (
    KIND,
    NAME,
    TEXT_MOST,
    check_name,
    model_import,
    model_of,
)
from hardware_catalog.catalog.model_preview import model_preview
from hardware_catalog.catalog.selectors import kind_get
from hardware_catalog.catalog.services import Author
from tco.errors import InputErrors

TEMPLATE = "hardware_catalog/catalog/model_import.html"


class ImportForm(forms.Form):
    """A file or its text, and the name it is kept under."""

    name = forms.CharField(
        label="Name in scenarios",
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="Such as vendor/model, as the hub writes it.",
    )
    source = forms.CharField(
        label="Where the file comes from",
        required=False,
        max_length=500,
        help_text="Kept as the source of every figure, such as the page's address.",
    )
    file = forms.FileField(
        label="The file config.json",
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )
    text = forms.CharField(
        label="Or paste its text",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false"}),
    )

    def take_errors(self, found: InputErrors) -> None:
        """Put each error beside its field; those of the file name the key they are about."""
        for error in found.errors:
            key = error.field.partition(".")[2]
            said = error.message
            if key:
                said = f"{key} {said}" if said.startswith(("is ", "has ")) else f"{key}: {said}"
            elif said.startswith("is "):
                said = f"The text {said}"
            else:
                said = f"{said[:1].upper()}{said[1:]}"
            place = "name" if error.field == "name" else "text"
            self.add_error(place, f"{said}: {error.mend}." if error.mend else f"{said}.")


def _posted(request: HttpRequest) -> tuple[Any, str]:
    """Return what was sent, the file's text in place of the pasted one, and what is wrong."""
    data = request.POST.copy()
    upload = request.FILES.get("file")
    if upload is None:
        return data, ""
    if upload.size and upload.size > 4 * TEXT_MOST:
        return data, f"{upload.size:,} bytes are too many: send the config.json alone."
    try:
        data["text"] = upload.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        return data, "It is not text in UTF-8: send the config.json as it is on the hub."
    return data, ""


def _named(text: str) -> str:
    """Return the name that a config.json gives itself, where it looks like one of a hub."""
    try:
        found = json.loads(text).get("_name_or_path", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return found if isinstance(found, str) and NAME.fullmatch(found) else ""


@require_http_methods(["GET", "POST"])
@writer_page
def model_import_page(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """Show what a config.json says, then keep it as an own model."""
    context: dict[str, Any] = {"spec": kind_get(KIND)}
    if request.method == "GET":
        return render(request, TEMPLATE, {**context, "form": ImportForm()})
    data, wrong_file = _posted(request)
    if not data.get("name", "").strip():
        data["name"] = _named(data.get("text", ""))
    form = ImportForm(data)
    context["form"] = form
    if wrong_file:
        form.add_error("file", wrong_file)
    if form.is_valid():
        name, text = form.cleaned_data["name"].strip(), form.cleaned_data["text"]
        if data.get("action") == "save":
            try:
                entry = model_import(
                    organisation=organisation,
                    config=text,
                    name=name,
                    author=Author.of(request.user),
                    source=form.cleaned_data["source"],
                )
            except InputErrors as found:
                form.take_errors(found)
            else:
                messages.success(request, f"{entry.name} is in your catalog.")
                return redirect("hardware_catalog:entry", pk=entry.pk)
        else:
            try:
                context["replaces"] = check_name(organisation=organisation, name=name)
            except InputErrors as found:
                form.take_errors(found)
        _preview(form, context, text, name, saving=data.get("action") == "save")
    return render(request, TEMPLATE, context, status=422 if form.errors else 200)


def _preview(
    form: ImportForm, context: dict[str, Any], text: str, name: str, *, saving: bool
) -> None:
    """Add the preview; what the file lacks is told once, also where saving told it already."""
    try:
        context["preview"] = model_preview(model_of(text, name or "model"))
    except InputErrors as found:
        if not saving:
            form.take_errors(found)
