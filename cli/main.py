"""`tco`: check and project scenario files, and look into the catalog.

Exit codes: 0 done; 1 done, and a finding says error; 2 the input cannot be used.

What a command needs is imported when it runs: one answer must not wait for the whole engine.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.accuracy import add_accuracy
from cli.examples_command import add_examples
from cli.fabric import add_fabric
from cli.firmness import add_firmness
from cli.goal_seek import add_goal_seek
from cli.hall import add_hall
from cli.hybrid import add_hybrid
from cli.kinds import PLURALS
from cli.optimise import add_optimise
from cli.quotes import add_quotes
from cli.refresh import add_refresh
from cli.serve_configs import add_serve_configs
from cli.simulate import add_simulate
from cli.sweep import add_sweep
from cli.uncertainty import add_uncertainty
from tco import __version__
from tco.errors import InputError, InputErrors

if TYPE_CHECKING:
    from tco.inputs import ScenarioInputs

OK, FINDING, BAD_INPUT = 0, 1, 2
_BYTES_PER_CHARACTER = 4  # UTF-8, at most


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):  # a pipe without UTF-8 must not end in a traceback
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except InputErrors as errors:
        for error in errors.errors:
            print(error, file=sys.stderr)
        return BAD_INPUT
    except InputError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # `tco ... | head`
        sys.stderr.close()
        return OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tco",
        description="Cost, power and latency of AI infrastructure, from a scenario file.",
        epilog="Exit codes: 0 done; 1 done, and a finding says error; 2 the input cannot be used.",
    )
    parser.add_argument("--version", action="version", version=f"tco {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    command = commands.add_parser("project", help="project a scenario file")
    command.add_argument("file", metavar="FILE", help="YAML or JSON; - reads standard input")
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
    command.add_argument("--option", metavar="KEY", action="append", help="only this option")
    command.add_argument("--price-book", metavar="CSV", help="prices agreed with suppliers")
    command.set_defaults(run=_project)

    command = commands.add_parser("check", help="check a scenario file, project nothing")
    command.add_argument("file", metavar="FILE", help="YAML or JSON; - reads standard input")
    command.add_argument("--price-book", metavar="CSV", help="prices agreed with suppliers")
    command.set_defaults(run=_check)

    command = commands.add_parser("schema", help="print the JSON Schema of scenario files")
    command.set_defaults(run=_schema)

    command = commands.add_parser("catalog", help="list the catalog, or show one entry")
    command.add_argument("kind", metavar="KIND", choices=PLURALS, help=", ".join(PLURALS))
    command.add_argument("key", metavar="KEY", nargs="?", help="show this entry whole")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=_catalog)

    command = commands.add_parser(
        "import-model", help="print a model hub's config.json as an entry of a scenario"
    )
    command.add_argument("file", metavar="FILE", help="config.json; - reads standard input")
    command.add_argument("--name", metavar="NAME", help="key of the model, such as vendor/model")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=_import_model)

    add_accuracy(commands, _read)
    add_examples(commands, _read)
    add_fabric(commands, lambda name: _resolved(_read(name)))
    add_goal_seek(commands, _read)
    add_firmness(commands, lambda name: _resolved(_read(name)))
    add_hall(commands, lambda name: _resolved(_read(name)))
    add_hybrid(commands, lambda name: _resolved(_read(name)))
    add_optimise(commands, lambda name: _resolved(_read(name)))
    add_quotes(commands, _read_text)
    add_refresh(commands, lambda name: _resolved(_read(name)))
    add_serve_configs(commands, _read)
    add_simulate(commands, lambda name: _resolved(_read(name)))
    add_sweep(commands, _read)
    add_uncertainty(commands, lambda name: _resolved(_read(name)))

    command = commands.add_parser("fields", help="print the fields of a scenario")
    command.add_argument("--markdown", action="store_true", help="print the reference page")
    command.set_defaults(run=_fields)

    command = commands.add_parser(
        "defaults", help="print every default with its range, status and source"
    )
    command.add_argument("--json", action="store_true", help="print them as JSON")
    command.add_argument("--markdown", action="store_true", help="print the reference page")
    command.set_defaults(run=_defaults)
    return parser


def _read(name: str) -> dict[str, Any]:
    """Return the document of a file, or raise what is wrong with it."""
    from tco.document.parse import parse

    return parse(_read_text(name))


def _resolved(document: dict[str, Any], price_book: str | None = None) -> ScenarioInputs:
    from hardware_catalog.seed.to_engine import SeedCatalog
    from tco.document import resolve
    from tco.document.price_book import read_price_book

    book = read_price_book(_read_text(price_book)) if price_book is not None else ()
    return resolve(document, SeedCatalog(book))


def _read_text(name: str) -> str:
    """Return the text of a file, or raise why it cannot be read."""
    from tco.document.parse import MAX_CHARACTERS

    try:
        if name == "-":
            raw = sys.stdin.buffer.read(MAX_CHARACTERS * _BYTES_PER_CHARACTER + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(MAX_CHARACTERS * _BYTES_PER_CHARACTER + 1)
        return raw.decode("utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(name, f"cannot be read: {reason}", "check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(name, f"is not UTF-8 at byte {error.start}", "save it as UTF-8") from error


def _chosen(document: dict[str, Any], keys: list[str] | None) -> dict[str, Any]:
    """Return the document with only the options named, in the order of the file."""
    options = document.get("options")
    if not keys or not isinstance(options, list):
        return document
    from tco.document.nearest import suggestion

    known = [option.get("key") for option in options if isinstance(option, dict)]
    errors = [
        InputError("--option", f"no option has the key {key!r}", suggestion(key, map(str, known)))
        for key in keys
        if key not in known
    ]
    if errors:
        raise InputErrors(tuple(errors))
    kept = [option for option in options if isinstance(option, dict) and option.get("key") in keys]
    return {**document, "options": kept}


def _inputs(options: argparse.Namespace) -> tuple[dict[str, Any], ScenarioInputs]:
    document = _read(options.file)
    chosen = _chosen(document, getattr(options, "option", None))
    return document, _resolved(chosen, getattr(options, "price_book", None))


def _project(options: argparse.Namespace) -> int:
    from cli.projection_text import projection_text
    from tco.inputs import canonical_json
    from tco.projection import project

    _, inputs = _inputs(options)
    projection = project(inputs)
    if options.json:
        print(canonical_json(projection.to_dict()))
    else:
        from tco.uncertainty.takeaway import takeaway  # scipy, only when it is needed

        print(projection_text(projection, takeaway(inputs, projection).sentence), end="")
    failed = any(finding.severity == "error" for finding in projection.findings)
    return FINDING if failed else OK


def _import_model(options: argparse.Namespace) -> int:
    from cli.import_model import imported

    file = Path(options.file)
    name = options.name or (file.resolve().parent.name if options.file != "-" else "imported-model")
    print(imported(_read_text(options.file), name, as_json=options.json), end="")
    return OK


def _check(options: argparse.Namespace) -> int:
    from tco.document import document_hash

    document, inputs = _inputs(options)
    fleets = sum(len(option.fleets) for option in inputs.options)
    print(
        f"{options.file}: good. {len(inputs.sites)} sites, {len(inputs.workloads)} workloads, "
        f"{len(inputs.options)} options, {fleets} fleets; document {document_hash(document)[:16]}, "
        f"input {inputs.content_hash[:16]}"
    )
    return OK


def _schema(options: argparse.Namespace) -> int:
    from tco.document.schema import schema_text

    print(schema_text(), end="")
    return OK


def _catalog(options: argparse.Namespace) -> int:
    from cli.catalog_text import catalog_entry, catalog_list, entry_json, entry_text, list_text
    from hardware_catalog.seed.to_engine import SeedCatalog

    catalog, kind = SeedCatalog(), PLURALS[options.kind]
    if options.key is None:
        entries = catalog_list(catalog, kind)
        text = list_text(kind, entries)
    else:
        entries = catalog_entry(catalog, kind, options.key)
        whole = kind != "framework"  # of a framework, its rows of the support matrix
        text = "\n".join(map(entry_text, entries)) if whole else list_text(kind, entries)
    if options.json:
        text = json.dumps(entry_json(entries), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    print(text, end="")
    return OK


def _fields(options: argparse.Namespace) -> int:
    from cli.fields_text import fields_markdown, fields_table

    print(fields_markdown() if options.markdown else fields_table(), end="")
    return OK


def _defaults(options: argparse.Namespace) -> int:
    from cli.defaults_text import defaults_json, defaults_markdown, defaults_table

    text = defaults_markdown() if options.markdown else defaults_table()
    print(defaults_json() if options.json else text, end="")
    return OK


if __name__ == "__main__":
    sys.exit(main())
