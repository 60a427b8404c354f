"""Scores the performance model on measured rows, or shows the last scores."""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cli.accuracy_text import accuracy_markdown, accuracy_text
from cli.own_devices import own_catalog
from hardware_catalog.seed.reader import rows as seed_rows
from tco.errors import InputError
from tco.evidence.accuracy import Predictors, Report, accuracy, shipped_report
from tco.evidence.aliases import Aliases, Catalog, aliases_of

OK = 0
Reader = Callable[[str], dict[str, Any]]


def run(options: argparse.Namespace, read: Reader) -> int:
    """Print the report of a folder, or the published one, and return the exit code."""
    report = _report(options, read)
    if options.out:
        _write(options.out, report)
    if options.json:
        print(_json(report), end="")
    elif options.markdown:
        print(accuracy_markdown(report), end="")
    else:
        print(accuracy_text(report), end="")
    return OK


def _report(options: argparse.Namespace, read: Reader) -> Report:
    own = bool(options.catalog or options.benchmark or options.leave_out)
    if options.folder is None:
        if own:
            raise InputError("DIR", "is missing", "name the folder with the measured rows")
        return shipped_report()
    folds: Sequence[str] = tuple(dict.fromkeys(options.leave_out or ["device"]))
    return score(
        options.folder,
        folds=folds,
        document=read(options.catalog) if options.catalog else None,
        document_name=options.catalog or "",
        benchmarks=options.benchmark,
    )


def score(
    folder: str,
    *,
    folds: Sequence[str] = ("device",),
    document: dict[str, Any] | None = None,
    document_name: str = "",
    benchmarks: Sequence[str] = (),
    predictors: Predictors | None = None,
) -> Report:
    """Score the rows of `folder` with the seed catalog and the user's own entries in front.

    Raises
    ------
    InputError, InputErrors
        A folder without rows, or an entry or benchmark that cannot be used.
    """
    catalog = own_catalog(document, document_name, benchmarks)
    return accuracy(
        folder,
        catalog,
        seed_aliases(),
        predictors or _standard(catalog, seed_aliases()),
        folds,
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
    )


def _standard(catalog: Catalog, aliases: Aliases) -> Predictors:
    """Predictors of the engine; imported here because their fits take a while to load."""
    from tco.evidence.predictors import standard

    return standard(catalog, aliases)


def seed_aliases() -> Aliases:
    """Return the alias tables of the seed catalog."""
    return aliases_of(seed_rows("device_aliases"), seed_rows("model_aliases"))


def _json(report: Report) -> str:
    return json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _write(name: str, report: Report) -> None:
    try:
        text = json.dumps(report, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        Path(name).write_text(text.replace('},{"', '},\n{"') + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(name, f"cannot be written: {error.strerror}", "check the path") from error
