"""Document to text and to its hash; reading the text back gives the same document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import yaml

from tco.document.parse import scalar


class _Dumper(yaml.SafeDumper):
    """Quotes what this reader, or a YAML 1.1 reader, would take for something else."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _scalar(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    read_as_text = isinstance(scalar(value), str)
    style = None if read_as_text else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _scalar)


def dump_yaml(document: Mapping[str, Any]) -> str:
    """Return the document as YAML, in the order it has; `parse` gives it back unchanged.

    Examples
    --------
    >>> dump_yaml({"name": "1e3", "pue": 1.3, "residency": ["NO"]})
    "name: '1e3'\\npue: 1.3\\nresidency:\\n- 'NO'\\n"
    """
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def dump_json(document: Mapping[str, Any]) -> str:
    """Return the document as JSON, in the order it has; `parse` gives it back unchanged."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document_hash(document: Mapping[str, Any]) -> str:
    """SHA-256 of the document: the order of keys and 60 against 60.0 do not change it.

    Examples
    --------
    >>> document_hash({"a": 1, "b": 2.0}) == document_hash({"b": 2, "a": 1.0})
    True
    """
    text = json.dumps(_canonical(document), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
