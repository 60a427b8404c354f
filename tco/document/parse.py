"""Text to document: YAML or JSON, nothing that runs, nothing that grows.

YAML is read as version 1.2 has it: ``no`` is the text of Norway's code, ``2026-12-01`` a text,
``1e6`` a number. Aliases, tags, duplicate keys and several documents in one file are refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from tco.document.quantity import LARGEST
from tco.errors import InputError, InputErrors

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 20
DOCUMENT = "document"  # field of an error that concerns the text as a whole

INTEGER = re.compile(r"[-+]?[0-9]+\Z")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
NOT_FINITE = re.compile(r"[-+]?\.?(nan|inf|infinity)\Z", re.IGNORECASE)
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
TRUE, FALSE = frozenset({"true", "True", "TRUE"}), frozenset({"false", "False", "FALSE"})
# control characters and halves of surrogate pairs: no store, page or terminal takes them
UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_DIGITS = 400  # longer numbers cost time to read and mean nothing

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse(text: str) -> dict[str, Any]:
    """Read a scenario document from YAML or JSON text.

    The result is made of ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool`` and ``None``,
    as written: names are not resolved and fields are not checked, see `validate`.

    Raises
    ------
    InputErrors
        Syntax errors with their line, duplicate keys, aliases and tags, NaN and infinity, numbers
        beyond 1e15, more than 1,000,000 characters or 20 levels.

    Examples
    --------
    >>> parse("pue: 1.3\\nresidency: [NO]")
    {'pue': 1.3, 'residency': ['NO']}
    """
    if len(text) > MAX_CHARACTERS:
        raise _refused(
            f"{len(text):,} characters are more than the {MAX_CHARACTERS:,} allowed",
            "leave out what is not part of the scenario",
        )
    if text.startswith("\ufeff"):
        text = text[1:]
    document = _from_json(text) if text.lstrip().startswith("{") else _NOTHING
    if document is _NOTHING:
        document = _from_yaml(text)
    if not isinstance(document, dict):
        raise _refused(
            "the document is empty" if document is None else "the document is not a mapping",
            "start with `schema: tco-scenario/1`, as in the examples",
        )
    errors = tuple(scalar_errors(document))
    if errors:
        raise InputErrors(errors)
    return document


def path_to(parent: str, key: object) -> str:
    """Path of a member: ``sites[0].pue``.

    Examples
    --------
    >>> path_to(path_to("", "sites"), 0)
    'sites[0]'
    """
    if isinstance(key, int):
        return f"{parent}[{key}]"
    name = str(key)
    name = name if len(name) <= 60 else name[:57] + "..."
    return f"{parent}.{name}" if parent else name


def scalar_errors(document: Any) -> Iterator[InputError]:
    """Yield an error for every number that is not finite or beyond any use, and unreadable text."""
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((path_to(path, key), item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            members = [(path_to(path, index), item) for index, item in enumerate(value)]
            waiting.extend(reversed(members))
        elif isinstance(value, float) and not math.isfinite(value):
            yield InputError(path, f"{value} is not a finite number", "enter a number")
        elif (
            isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) > LARGEST
        ):
            shown = f"{value:g}" if isinstance(value, float) else f"about 1e{_magnitude(value)}"
            yield InputError(path, f"{shown} is beyond any use", f"enter {LARGEST:g} or less")
        elif isinstance(value, str) and UNREADABLE.search(value):
            yield InputError(path, "the text holds characters nobody can read", "type it again")


def _magnitude(value: int) -> int:
    return int(abs(value).bit_length() * math.log10(2))


_NOTHING = object()


def _refused(message: str, mend: str, field: str = DOCUMENT) -> InputErrors:
    return InputErrors((InputError(field, message, mend),))


def _json_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _duplicate(key, "")
        found[key] = value
    return found


def _duplicate(key: str, where: str) -> InputErrors:
    shown = key if len(key) <= 60 else key[:57] + "..."
    return _refused(f"{shown!r} stands twice{where}", "keep one of them", path_to("", key))


def _json_integer(text: str) -> int | float:
    return int(text) if len(text) <= _DIGITS else math.inf


def _from_json(text: str) -> Any:
    """Read JSON; `_NOTHING` where it is none, since YAML may start with a brace too."""
    try:
        document = json.loads(text, object_pairs_hook=_json_pairs, parse_int=_json_integer)
    except json.JSONDecodeError:
        return _NOTHING
    except RecursionError:
        raise _too_deep("") from None
    if _depth(document) > MAX_DEPTH:
        raise _too_deep("")
    return document


def _too_deep(where: str) -> InputErrors:
    return _refused(f"more than {MAX_DEPTH} levels{where}", "nest less; the examples need 6")


def _depth(document: Any) -> int:
    deepest, waiting = 0, [(1, document)]
    while waiting:
        level, value = waiting.pop()
        if isinstance(value, (dict, list)):
            deepest = max(deepest, level)
            members = value.values() if isinstance(value, dict) else value
            waiting.extend((level + 1, item) for item in members)
    return deepest


def scalar(text: str) -> str | int | float | bool | None:
    """Read a plain YAML scalar as the core schema of YAML 1.2 does, octal and hex left out.

    Examples
    --------
    >>> scalar("1e6"), scalar("no"), scalar("012"), scalar("~")
    (1000000.0, 'no', 12, None)
    """
    if text in NULLS:
        return None
    if text in TRUE or text in FALSE:
        return text in TRUE
    if INTEGER.match(text):
        return int(text) if len(text) <= _DIGITS else math.inf
    if FLOAT.match(text):
        return float(text)
    if NOT_FINITE.match(text):
        return math.nan if "nan" in text.lower() else math.inf
    return text


def _from_yaml(text: str) -> Any:
    """Build the document from parser events: no recursion, no constructors, no aliases."""
    stack: list[_Level] = []
    root: Any = None
    documents = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            where = f" (line {event.start_mark.line + 1})" if event.start_mark else ""
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _refused(f"a second document starts{where}", "keep one per file")
            elif isinstance(event, yaml.NodeEvent):
                value = _value(event, where)
                if stack:
                    stack[-1].add(value, where)
                else:
                    root = value
                if isinstance(value, (dict, list)):
                    if len(stack) >= MAX_DEPTH:
                        raise _too_deep(where)
                    stack.append(_Level(value))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                stack.pop()
    except yaml.YAMLError as error:
        raise _syntax(error) from None
    return root


def _syntax(error: yaml.YAMLError) -> InputErrors:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not readable"
    where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
    if "nesting depth" in problem:  # libyaml has a limit of its own, and reads ahead
        return _too_deep(where)
    return _refused(f"this is not YAML: {problem}{where}", "mend the line; indent with spaces")


def _value(event: yaml.NodeEvent, where: str) -> Any:
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise _refused(
            f"the anchor or alias {event.anchor!r} is not accepted{where}", "write the value out"
        )
    tag = getattr(event, "tag", None)  # "!" asks for text
    if tag is not None and tag != "!":
        raise _refused(f"the tag {tag!r} is not accepted{where}", "leave it out")
    if isinstance(event, yaml.MappingStartEvent):
        return {}
    if isinstance(event, yaml.SequenceStartEvent):
        return []
    text: str = getattr(event, "value", "")
    return scalar(text) if getattr(event, "style", None) in (None, "") and tag is None else text


class _Level:
    """A mapping or list being filled."""

    __slots__ = ("key", "node", "waits_for_key")

    def __init__(self, node: dict[str, Any] | list[Any]) -> None:
        self.node = node
        self.waits_for_key = isinstance(node, dict)
        self.key = ""

    def add(self, value: Any, where: str) -> None:
        if isinstance(self.node, list):
            self.node.append(value)
        elif self.waits_for_key:
            if isinstance(value, (dict, list)):
                raise _refused(f"a key is not a plain word{where}", "use a word as the key")
            self.key = value if isinstance(value, str) else _as_written(value)
            if self.key in self.node:
                raise _duplicate(self.key, where)
            self.waits_for_key = False
        else:
            self.node[self.key] = value
            self.waits_for_key = True


def _as_written(value: Any) -> str:
    """Name of a key that reads as something else: ``null``, ``true`` or a number."""
    return json.dumps(value)
