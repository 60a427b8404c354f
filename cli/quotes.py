"""`tco quotes`: vendor quotes levelled to one scope, ranked, with what flips the ranking."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.text_table import text_table
from tco.errors import InputError

if TYPE_CHECKING:
    from tco.cost.quotes import Levelling

ReadText = Callable[[str], str]
_NONE = "-"


def add_quotes(commands: Any, read_text: ReadText) -> None:
    """Add the command to the parser; `read_text` reads a file."""
    command = commands.add_parser(
        "quotes",
        help="level two or more vendor quotes to equal scope and rank them",
        description=(
            "Each FILE is a CSV with item, quantity, unit_price and, if not USD, currency; "
            "included (yes) for what costs nothing more; vendor where one file holds several. "
            "Names what each vendor leaves out, prices it from the others or the bill of "
            "materials, ranks the quotes at equal scope, and says what would flip the ranking."
        ),
    )
    command.add_argument("files", metavar="FILE", nargs="+", help="quotes, CSV")
    command.add_argument(
        "--scope",
        metavar="FILE",
        help="bill of materials: item, quantity, catalog_unit_price, source",
    )
    command.add_argument("--currency", default="USD", metavar="CODE", help="of the ranking")
    command.add_argument(
        "--rate",
        action="append",
        default=[],
        metavar="EUR=1.08",
        help="US dollars for one unit; may be repeated; others come from the catalog",
    )
    command.add_argument("--on", default="", metavar="DATE", help="day of the decision, for rates")
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.set_defaults(run=lambda options: _run(options, read_text))


def _run(options: argparse.Namespace, read_text: ReadText) -> int:
    from tco.cost.quotes import USUAL, level
    from tco.document.quotes_csv import read_quotes, read_scope, scope_of

    rate_of = _rates(options)
    quotes = read_quotes([(Path(name).stem, read_text(name)) for name in options.files], rate_of)
    needed = read_scope(read_text(options.scope)) if options.scope else scope_of(quotes)
    found = level(needed, quotes, options.currency)
    unasked = [item for item in USUAL if item not in {one.item for one in needed}]
    if options.json:
        print(json.dumps(_plain(found) | {"not_asked": unasked}, sort_keys=True))
    else:
        print("\n\n".join(_parts(found, unasked, options.on)))
    return 0


def _rates(options: argparse.Namespace) -> Callable[[str], float]:
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document.nearest import suggestion
    from tco.inputs import CURRENCIES, ExchangeRate, path_of
    from tco.units import date_of

    if options.currency not in CURRENCIES:
        mend = suggestion(options.currency, CURRENCIES)
        raise InputError("--currency", f"{options.currency!r} is not known", mend)
    if options.on and date_of(options.on) is None:
        raise InputError("--on", f"{options.on!r} is not a date", "write 2026-12-01")
    own = []
    for text in options.rate:
        code, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if code not in CURRENCIES or not 1e-6 <= value <= 1e6:
            raise InputError("--rate", f"{text!r} cannot be read", "write EUR=1.08")
        own.append(ExchangeRate(code, value, options.on, "--rate"))
    held = {rate.currency for rate in own}
    rates = (*own, *(x for x in SeedCatalog().exchange_rates() if x.currency not in held))

    def rate_of(code: str) -> float:
        return path_of(code, options.currency, rates, options.on, 1).account_per_unit[0]

    try:
        rate_of("USD")
    except KeyError:
        message = f"{options.currency} has no exchange rate"
        raise InputError("--currency", message, f"add --rate {options.currency}=NUMBER") from None
    return rate_of


def _plain(found: Levelling) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, Decimal):
            return str(value)
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value

    result: dict[str, Any] = plain(dataclasses.asdict(found))
    return result


def _parts(found: Levelling, unasked: list[str], on: str) -> Iterator[str]:
    closed = [one for one in found.quotes if one.levelled_usd is not None]
    if closed:
        best = closed[0]
        yield (
            f"{best.vendor} is cheapest at equal scope: {best.levelled_usd:,.2f} {found.currency}, "
            f"of it {best.estimated_usd:,.2f} estimated. As quoted: {', '.join(found.as_quoted)}."
        )
    else:
        yield "No quote can be closed: some item has no price anywhere."
    items = [cell.item for cell in found.quotes[0].cells]
    rows = []
    for place, item in enumerate(items):
        cells = [one.cells[place] for one in found.quotes]
        rows.append(
            [
                item,
                f"{cells[0].needed:g}",
                *(
                    _NONE
                    if cell.levelled_usd is None
                    else f"{cell.levelled_usd:,.2f}{' e' if cell.estimated_usd else ''}"
                    for cell in cells
                ),
            ]
        )
    for label, values in (
        ("levelled", [one.levelled_usd for one in found.quotes]),
        ("as quoted", [one.quoted_usd for one in found.quotes]),
    ):
        rows.append([label, "", *(_NONE if usd is None else f"{usd:,.2f}" for usd in values)])
    head = [f"{found.currency} (e: estimated)", "needed", *(one.vendor for one in found.quotes)]
    yield text_table(head, rows)
    for one in found.quotes:
        if one.omissions:
            told = "\n".join(f"  {cell.item}: {cell.why}" for cell in one.omissions)
            yield f"{one.vendor} leaves out or changes\n{told}"
        if on and one.valid_until and one.valid_until < on:
            yield f"{one.vendor}: the quote ended on {one.valid_until}, before {on}; ask again"
    if unasked:
        yield f"On no bill of materials here: {', '.join(unasked)}"
    if found.flips:
        yield "What would flip it\n" + "\n".join(f"  {flip.sentence}" for flip in found.flips)
