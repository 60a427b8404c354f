"""The scenario document: YAML or JSON as people write it, resolved against a catalog."""

from tco.document.catalog import KINDS, Catalog
from tco.document.dump import document_hash, dump_json, dump_yaml
from tco.document.parse import parse
from tco.document.resolve import resolve
from tco.document.validate import validate

__all__ = [
    "KINDS",
    "Catalog",
    "document_hash",
    "dump_json",
    "dump_yaml",
    "parse",
    "resolve",
    "validate",
]
