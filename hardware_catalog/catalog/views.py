"""Pages of the catalog."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import Organisation
from accounts.selectors import may_write
from hardware_catalog.catalog.access import member_page, writer_page
from hardware_catalog.catalog.columns import cells, columns, csv_lines
from hardware_catalog.catalog.filters import PageFilter
from hardware_catalog.catalog.forms import ConfirmForm, EntryForm, PriceForm
from hardware_catalog.catalog.page import entry_page
from hardware_catalog.catalog.selectors import (
    entry_get,
    entry_list,
    kind_counts,
    kind_get,
    pending_devices,
    vendors,
)
from hardware_catalog.catalog.services import (
    Author,
    device_confirm,
    entry_archive,
    entry_create,
    entry_revise,
    price_add,
)
from hardware_catalog.models import CatalogEntry
from hardware_catalog.models.as_record import as_record, with_current
from hardware_catalog.seed.specs import KindSpec
from tco.errors import InputErrors

PAGE_SIZE = 50
FOLDER = "hardware_catalog/catalog"


@require_GET
@member_page
def catalog(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """All kinds with how many entries there are, and devices that wait for a person."""
    counts = kind_counts(organisation=organisation)
    page = {
        "counts": counts,
        "total": sum(seen for _, seen, _ in counts),
        "own": sum(own for _, _, own in counts),
        "pending": pending_devices(organisation=organisation),
        "may_write": may_write(request.user),
    }
    return render(request, f"{FOLDER}/index.html", page)


def _filtered(request: HttpRequest, organisation: Organisation, spec: KindSpec) -> PageFilter:
    archived = request.GET.get("archived") == "yes"
    entries = entry_list(organisation=organisation, kind=spec.kind, archived=archived)
    if archived:
        entries = entries.filter(organisation=organisation)
    return PageFilter(
        request.GET,
        queryset=entries,
        vendors=vendors(organisation=organisation, kind=spec.kind),
        vendor_label=spec.vendor_label,
    )


@require_GET
@member_page
def kind_list(request: HttpRequest, organisation: Organisation, kind: str) -> HttpResponse:
    """Entries of a kind, filtered, 50 a page."""
    spec = kind_get(kind)
    found = _filtered(request, organisation, spec)
    page = Paginator(with_current(found.qs), PAGE_SIZE).get_page(request.GET.get("page"))
    shown = columns(spec)
    rows = [
        (entry, list(zip(shown, cells(spec, as_record(entry)), strict=True)))
        for entry in page.object_list
    ]
    context = {
        "spec": spec,
        "filter": found,
        "page": page,
        "columns": shown,
        "rows": rows,
        "unverified": any(not one.verified for _, row in rows for _, one in row),
        "filtered": any(value for name, value in request.GET.items() if name != "page"),
        "archived": request.GET.get("archived") == "yes",
        "may_write": may_write(request.user),
        "query": request.GET.urlencode(),
    }
    return render(request, f"{FOLDER}/list.html", context)


@require_GET
@member_page
def kind_csv(request: HttpRequest, organisation: Organisation, kind: str) -> HttpResponseBase:
    """The filtered list as CSV: all pages."""
    spec = kind_get(kind)
    entries = with_current(_filtered(request, organisation, spec).qs)
    records = [as_record(entry) for entry in entries]
    return StreamingHttpResponse(
        csv_lines(spec, records),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="catalog-{kind}.csv"'},
    )


@require_GET
@member_page
def entry_detail(request: HttpRequest, organisation: Organisation, pk: int) -> HttpResponse:
    """Everything that is known of an entry, and where it comes from."""
    entry = entry_get(organisation=organisation, pk=pk)
    page = entry_page(organisation=organisation, entry=entry)
    page["may_write"] = may_write(request.user)
    return render(request, f"{FOLDER}/detail.html", page)


def _form_page(
    request: HttpRequest, form: EntryForm | PriceForm, entry: CatalogEntry | None, template: str
) -> HttpResponse:
    page = {"form": form, "spec": form.spec, "entry": entry}
    return render(request, f"{FOLDER}/{template}", page, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
@writer_page
def entry_new(request: HttpRequest, organisation: Organisation, kind: str) -> HttpResponse:
    """Add an own entry."""
    spec = kind_get(kind)
    if not spec.addable:
        raise PermissionDenied(f"{spec.plural} cannot be added here.")
    form = EntryForm(spec, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            entry = entry_create(
                organisation=organisation,
                spec=spec,
                given=form.to_input(),
                author=Author.of(request.user),
                message=form.cleaned_data["message"],
            )
        except InputErrors as found:
            form.take_errors(found)
        else:
            messages.success(request, f"{entry.name} is in your catalog.")
            return redirect("hardware_catalog:entry", pk=entry.pk)
    return _form_page(request, form, None, "form.html")


def _version(entry: CatalogEntry) -> str:
    return entry.updated_at.isoformat()


CHANGED_MEANWHILE = (
    "Somebody changed this entry while you were editing. Your values are kept below; compare them "
    "with the entry's page, then save again to put them in place."
)


@require_http_methods(["GET", "POST"])
@writer_page
def entry_edit(request: HttpRequest, organisation: Organisation, pk: int) -> HttpResponse:
    """Change an own entry, or make an own copy of a shared one."""
    entry = entry_get(organisation=organisation, pk=pk)
    if not entry.spec.addable:
        raise PermissionDenied(f"{entry.spec.plural} cannot be changed here.")
    record = as_record(entry)
    data: Any = request.POST.copy() if request.method == "POST" else None
    stale = data is not None and data.get("version", "") not in ("", _version(entry))
    if data is not None:
        data["version"] = _version(entry)
    form = EntryForm(entry.spec, data, record=record)
    if data is None:
        form.initial["version"] = _version(entry)
    if data is not None and form.is_valid():
        if stale:
            form.add_error(None, CHANGED_MEANWHILE)
            return _form_page(request, form, entry, "form.html")
        done = _change(request, organisation, entry, form, entry_revise)
        if done is not None:
            return done
    return _form_page(request, form, entry, "form.html")


def _change(
    request: HttpRequest,
    organisation: Organisation,
    entry: CatalogEntry,
    form: Any,
    service: Callable[..., CatalogEntry],
) -> HttpResponse | None:
    """Run the service of a valid form; None leaves the errors on the form."""
    try:
        kept = service(
            organisation=organisation,
            entry=entry,
            given=form.to_input(),
            author=Author.of(request.user),
            message=form.cleaned_data["message"],
        )
    except InputErrors as found:
        form.take_errors(found)
        return None
    messages.success(request, _saved(entry, kept))
    return redirect("hardware_catalog:entry", pk=kept.pk)


def _saved(entry: CatalogEntry, kept: CatalogEntry) -> str:
    if kept.pk != entry.pk:
        return f"{kept.name} is now your own copy. It stands in place of the shared entry."
    return f"{kept.name} is saved."


@require_http_methods(["GET", "POST"])
@writer_page
def entry_price(request: HttpRequest, organisation: Organisation, pk: int) -> HttpResponse:
    """Add a dated price."""
    entry = entry_get(organisation=organisation, pk=pk)
    if not entry.spec.prices or not entry.spec.addable:
        raise PermissionDenied(f"{entry.spec.plural} take no prices here.")
    form = PriceForm(entry.spec, request.POST or None)
    if request.method == "POST" and form.is_valid():
        done = _change(request, organisation, entry, form, price_add)
        if done is not None:
            return done
    return _form_page(request, form, entry, "price.html")


@require_POST
@writer_page
def archive(request: HttpRequest, organisation: Organisation, pk: int) -> HttpResponse:
    """Put an own entry away, or take it back."""
    entry = entry_get(organisation=organisation, pk=pk)
    away = request.POST.get("archived", "yes") == "yes"
    entry_archive(
        organisation=organisation, entry=entry, author=Author.of(request.user), archived=away
    )
    word = "archived: scenarios no longer find it" if away else "back in your catalog"
    messages.success(request, f"{entry.name} is {word}.")
    return redirect("hardware_catalog:entry", pk=entry.pk)


@require_http_methods(["GET", "POST"])
@writer_page
def confirm(request: HttpRequest, organisation: Organisation, pk: int) -> HttpResponse:
    """Confirm an uploaded device."""
    entry = entry_get(organisation=organisation, pk=pk)
    if not entry.pending:
        messages.info(request, f"{entry.name} is confirmed already.")
        return redirect("hardware_catalog:entry", pk=entry.pk)
    initial = {"name": entry.name, "vendor": entry.vendor}
    form = ConfirmForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        device_confirm(
            organisation=organisation,
            entry=entry,
            name=form.cleaned_data["name"],
            vendor=form.cleaned_data["vendor"],
            author=Author.of(request.user),
        )
        messages.success(request, f"{form.cleaned_data['name']} is confirmed.")
        return redirect("hardware_catalog:entry", pk=entry.pk)
    page = entry_page(organisation=organisation, entry=entry)
    page["form"] = form
    return render(request, f"{FOLDER}/confirm.html", page, status=422 if form.errors else 200)
