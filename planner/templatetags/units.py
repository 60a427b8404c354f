"""Numbers for people: the only place that rounds. Also badges, icons and navigation."""

from __future__ import annotations

import math
import re
from typing import Any

from django import template
from django.template.context import RequestContext
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

BLANK = "–"

ICONS = {
    "rack": '<rect x="3" y="1.5" width="10" height="13" rx="1"/><path d="M5 5h6M5 8h6M5 11h6"/>',
    "theme": '<circle cx="8" cy="8" r="5.5"/>'
    '<path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor"/>',
    "error": '<path d="M5 1.5h6l3.5 3.5v6L11 14.5H5L1.5 11V5z"/><path d="M8 4.5v4M8 10.6v.9"/>',
    "warning": '<path d="M8 2 1.5 13.5h13z"/><path d="M8 6.5v3.5M8 11.4v.8"/>',
    "info": '<circle cx="8" cy="8" r="6.5"/><path d="M8 7.2v4M8 4.4v.9"/>',
    "success": '<circle cx="8" cy="8" r="6.5"/><path d="m5 8.2 2.2 2.2L11.2 6"/>',
    "good": '<circle cx="8" cy="8" r="6.5"/><path d="m5 8.2 2.2 2.2L11.2 6"/>',
    "measured": '<path d="M2 11.5a6 6 0 1 1 12 0"/><path d="m8 11.5 3-4"/>',
    "published": '<path d="M4 1.5h5.5L12.5 5v9.5H4z"/><path d="M6 8h4.5M6 11h4.5"/>',
    "estimated": '<path d="M2.5 6c2-3 4 2 5.5 0s3.5-1 5.5-2M2.5 11c2-3 4 2 5.5 0s3.5-1 5.5-2"/>',
    "assumed": '<path d="M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1 .8-1 1.7M8 12.2v.9"/>',
    "unverified": '<path d="M8 2 1.5 13.5h13z"/><path d="M8 6.5v3.5M8 11.4v.8"/>',
    "add": '<path d="M8 2.5v11M2.5 8h11"/>',
    "copy": '<rect x="5" y="5" width="8.5" height="8.5" rx="1"/><path d="M3 10.5V3h7.5"/>',
    "remove": '<path d="M3 8h10"/>',
    "download": '<path d="M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11"/>',
    "explain": '<circle cx="8" cy="8" r="6.5"/>'
    '<path d="M6 6.3a2 2 0 1 1 2.8 1.8c-.6.3-.8.6-.8 1.3M8 11.3v.8"/>',
}


def _number(value: Any) -> float | None:
    if value is None or value == "" or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def significant(number: float, digits: int = 3) -> str:
    """Return `number` with `digits` significant figures, thousands separated, no exponent.

    >>> significant(1234567.0)
    '1,230,000'
    >>> significant(0.0123456)
    '0.0123'
    >>> significant(99.96)
    '100'
    """
    if number == 0:
        return "0"
    rounded = float(f"{number:.{digits - 1}e}")
    places = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{places}f}"


@register.filter
def sig3(value: Any) -> str:
    """Three significant figures, as on cards."""
    number = _number(value)
    return BLANK if number is None else significant(number)


@register.filter
def exact(value: Any) -> str:
    """Full precision, as in tables and on hover."""
    number = _number(value)
    if number is None:
        return BLANK
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:,.6f}".rstrip("0").rstrip(".") if abs(number) >= 0.001 else f"{number:.6g}"


@register.filter
def si(value: Any) -> str:
    """Three significant figures with k, M or G.

    >>> si(11234567)
    '11.2 M'
    """
    number = _number(value)
    if number is None:
        return BLANK
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(number) >= limit * 0.9995:
            divisor = 1e3 if letter == "k" else limit
            return f"{significant(number / divisor)} {letter}"
    return significant(number)


@register.filter
def usd(value: Any) -> str:
    """Money in full dollars and cents below 100."""
    number = _number(value)
    if number is None:
        return BLANK
    sign = "-" if number < 0 else ""
    return f"{sign}{abs(number):,.2f}" if abs(number) < 100 else f"{sign}{abs(number):,.0f}"


@register.filter
def percent(value: Any) -> str:
    """A fraction as per cent."""
    number = _number(value)
    return BLANK if number is None else f"{significant(number * 100)} %"


@register.filter
def nines(value: Any) -> str:
    """An availability as per cent, with as many digits as tell it from 100 %.

    >>> nines(0.9999667), nines(0.97), nines(1.0)
    ('99.9967 %', '97.0 %', '100 %')
    """
    number = _number(value)
    if number is None or not 0.0 <= number < 1.0:
        return BLANK if number is None else percent(number)
    places = min(9, max(1, 1 - math.floor(math.log10(1.0 - number)) - 1))
    return f"{number * 100:.{places}f} %"


@register.filter
def in_words(value: Any) -> str:
    """A word of the engine without its underscores.

    >>> in_words("active_passive")
    'active passive'
    """
    return str(value).replace("_", " ")


@register.filter
def kw(value: Any) -> str:
    """Kilowatts, three significant figures."""
    number = _number(value)
    return BLANK if number is None else f"{significant(number)} kW"


METRIC = re.compile(r"\b(ttft|tpot|e2e)(?= p\d)")
UNIT_WORDS = {"us": "µs", "10^9": "× 10⁹"}


@register.filter
def unit_words(unit: Any) -> str:
    """A unit of the engine as people write it.

    >>> unit_words("us"), unit_words("TFLOP/s")
    ('µs', 'TFLOP/s')
    """
    return UNIT_WORDS.get(str(unit), str(unit))


@register.filter
def metric_words(text: Any) -> str:
    """A latency of the engine as the tables write it: ``tpot p95 50 ms`` is TPOT p95 50 ms.

    >>> metric_words("tpot p95 50 ms"), metric_words("throughput")
    ('TPOT p95 50 ms', 'throughput')
    """
    return METRIC.sub(lambda found: found[0].upper(), str(text))


@register.simple_tag
def icon(name: str) -> SafeString:
    """Inline a 16-px drawing; it says nothing by itself, a word stands beside it."""
    body = ICONS.get(name, ICONS["info"])
    return mark_safe(
        '<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" '
        f'stroke-width="1.5" aria-hidden="true" focusable="false">{body}</svg>'
    )


@register.simple_tag
def status_badge(status: Any, verified: Any = True) -> SafeString:
    """Show how well a figure is known: icon and word, plus «unverified» for recalled values."""
    word = str(getattr(status, "value", status) or "assumed")
    badge = format_html('<span class="badge badge-{}">{}{}</span>', word, icon(word), word)
    if verified in (False, "False", "false", 0):
        badge = format_html(
            '{} <span class="badge badge-unverified">{}unverified</span>', badge, icon("unverified")
        )
    return badge


@register.simple_tag(takes_context=True)
def nav_item(context: RequestContext, name: str, label: str) -> SafeString:
    """One entry of the main navigation; marks the place the person is in."""
    try:
        href = reverse(name)
    except NoReverseMatch:
        return SafeString("")
    path = context["request"].path if "request" in context else ""
    here = path == href or (href not in {"/", "/home/"} and path.startswith(href))
    return format_html(
        '<li><a href="{}"{}>{}</a></li>',
        href,
        mark_safe(' aria-current="page"') if here else "",
        label,
    )


@register.simple_tag(takes_context=True)
def page_link(context: RequestContext, number: int) -> str:
    """Address of another page of the same list, filters kept."""
    query = context["request"].GET.copy()
    query["page"] = str(number)
    return f"?{query.urlencode()}"
