"""Pages of the price book."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import Organisation, User
from accounts.selectors import may_write
from hardware_catalog.catalog.access import member_page, writer_page
from hardware_catalog.models import Agreement
from hardware_catalog.price_book.forms import AgreementForm
from hardware_catalog.price_book.selectors import as_csv, known_keys, rows
from hardware_catalog.price_book.services import (
    agreement_add,
    agreement_withdraw,
    price_book_import,
)
from tco.document.price_book import NAMES
from tco.errors import InputError, InputErrors

FOLDER = "hardware_catalog/price_book"
LARGEST_BYTES = 5_000_000


@require_GET
@member_page
def price_book(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """Show every entry with where it stands today."""
    return render(request, f"{FOLDER}/list.html", _context(request, organisation))


@require_http_methods(["GET", "POST"])
@writer_page
def price_book_new(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """Add one entry."""
    form = AgreementForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        assert isinstance(request.user, User)
        try:
            made = agreement_add(organisation=organisation, entry=form.entry(), by=request.user)
        except InputErrors as error:
            form.take_errors(error.errors)
        else:
            messages.success(request, f"Quote {made.reference} of {made.supplier} is in the book.")
            return redirect("hardware_catalog:price_book")
    keys = known_keys(organisation=organisation)
    context = {
        "form": form,
        "keys": (*keys["server"], *keys["offer"]),
        "devices": keys["device"],
    }
    return render(request, f"{FOLDER}/new.html", context, status=422 if form.errors else 200)


@require_POST
@writer_page
def price_book_table(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """Take in a table, or only say what it would do."""
    assert isinstance(request.user, User)
    dry = request.POST.get("action") == "try"
    try:
        text = _text(request)
        found = price_book_import(
            organisation=organisation, text=text, by=request.user, dry_run=dry
        )
    except InputErrors as error:
        context = _context(request, organisation) | {
            "errors": error.errors,
            "given": request.POST.get("text", ""),
        }
        return render(request, f"{FOLDER}/list.html", context, status=422)
    known = f", {found.known} there already" if found.known else ""
    if dry:
        context = _context(request, organisation) | {
            "tried": f"Nothing is wrong with it: {found.added} would be added{known}.",
            "given": text,
        }
        return render(request, f"{FOLDER}/list.html", context)
    messages.success(request, f"{found.added} added{known}.")
    return redirect("hardware_catalog:price_book")


@require_POST
@writer_page
def price_book_withdraw(request: HttpRequest, organisation: Organisation, pk: int) -> HttpResponse:
    """Take an entry out of use."""
    assert isinstance(request.user, User)
    try:
        found = agreement_withdraw(organisation=organisation, pk=pk, by=request.user)
    except Agreement.DoesNotExist as error:
        raise Http404 from error
    messages.success(request, f"Quote {found.reference} of {found.supplier} is withdrawn.")
    return redirect("hardware_catalog:price_book")


@require_GET
@member_page
def price_book_csv(request: HttpRequest, organisation: Organisation) -> HttpResponse:
    """Send the entries as the table that the import reads."""
    answer = HttpResponse(
        "\ufeff" + as_csv(organisation=organisation), content_type="text/csv; charset=utf-8"
    )
    answer["Content-Disposition"] = 'attachment; filename="price-book.csv"'
    return answer


def _context(request: HttpRequest, organisation: Organisation) -> dict[str, Any]:
    return {
        "rows": rows(organisation=organisation, today=timezone.localdate()),
        "may_write": may_write(request.user),
        "columns": NAMES,
    }


def _text(request: HttpRequest) -> str:
    file = request.FILES.get("file")
    if file is None:
        return request.POST.get("text", "")
    if (file.size or 0) > LARGEST_BYTES:
        wrong = InputError("file", f"{file.size:,} bytes are too many", "split the file")
        raise InputErrors((wrong,))
    try:
        return str(file.read(), "utf-8-sig")
    except UnicodeDecodeError as error:
        wrong = InputError("file", f"is not UTF-8 at byte {error.start}", "save it as UTF-8")
        raise InputErrors((wrong,)) from error
