"""The one table from basis and evidence to status and verified (architecture, section 8)."""

from __future__ import annotations

MEASURED = "measured"
PUBLISHED = "published"
ESTIMATED = "estimated"
ASSUMED = "assumed"

STATUSES = (MEASURED, PUBLISHED, ESTIMATED, ASSUMED)  # best first

# Who says it -> how well it is known. Exact words: a new basis must be placed here.
BASIS_STATUS: dict[str, str] = {
    "measured": MEASURED,
    "vendor-published": PUBLISHED,
    "vendor-published / survey": PUBLISHED,
    "vendor list": PUBLISHED,
    "retail listing": PUBLISHED,
    "utility tariff": PUBLISHED,
    "official statistics": PUBLISHED,
    "survey": PUBLISHED,
    "electrical code": PUBLISHED,
    "compiled": ESTIMATED,
    "compiled statistics": ESTIMATED,
    "computed": ESTIMATED,
    "computed from vendor list": ESTIMATED,
    "computed from LBNL": ESTIMATED,
    "life-cycle study": ESTIMATED,
    "press-estimate": ESTIMATED,
    "assumption": ASSUMED,
}


def worse(first: str, second: str) -> str:
    """Return the weaker of two statuses.

    Examples
    --------
    >>> worse("published", "estimated")
    'estimated'
    """
    return max(first, second, key=STATUSES.index)


def status_of(basis: str, evidence: str) -> tuple[str, bool]:
    """Return (status, verified) of a figure.

    A value that was recalled, in whole or in a part that the evidence does not tell apart, is
    not verified. Derived values are estimated at best.

    Raises
    ------
    KeyError
        If the basis is not in the table.

    Examples
    --------
    >>> status_of("vendor-published", "secondary")
    ('published', True)
    >>> status_of("vendor-published", "opened (config), recall (chassis)")
    ('published', False)
    >>> status_of("measured", "derived")
    ('estimated', True)
    """
    status = BASIS_STATUS[basis]
    if evidence.startswith("derived"):
        status = worse(status, ESTIMATED)
    if status == ASSUMED:
        return status, evidence == "assumption"
    return status, bool(evidence) and "recall" not in evidence
