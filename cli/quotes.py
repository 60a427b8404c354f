"""`tco quotes`: vendor quotes levelled to one scope, ranked, with what flips the ranking."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.text_table import text_table

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
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document.quotes_levelled import own_rate, ranked

    found = ranked(
        [(Path(name).stem, read_text(name)) for name in options.files],
        read_text(options.scope) if options.scope else None,
        currency=options.currency,
        day=options.on,
        own_rates=[own_rate(text, options.on) for text in options.rate],
        catalog_rates=SeedCatalog().exchange_rates(),
    )
    if options.json:
        print(json.dumps(found.to_dict(), sort_keys=True))
    else:
        print("\n\n".join(_parts(found.levelling, list(found.not_asked), options.on)))
    return 0


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
