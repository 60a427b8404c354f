"""Values of a model's config.json by the names they go by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tco.document.values import shown
from tco.errors import InputError

_MOST = 10**12


class ConfigReader:
    """Reads the text part of a config first, then the whole file."""

    def __init__(self, part: Mapping[str, Any], outer: Mapping[str, Any]) -> None:
        self._part, self._outer = part, outer

    def get(self, name: str) -> Any:
        """Return a value as it is, or None."""
        value = self._part.get(name)
        return self._outer.get(name) if value is None else value

    def text(self, name: str) -> str:
        """Return a text, or an empty one."""
        value = self._part.get(name) or self._outer.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth value, or `default`."""
        value = self.get(name)
        return value if isinstance(value, bool) else default

    def maybe(self, *names: str) -> int | None:
        """Return the first whole number that is given under one of `names`, or None."""
        for name in names:
            value = self._part.get(name)
            if value is None:
                continue
            whole = isinstance(value, int) and not isinstance(value, bool)
            if isinstance(value, float) and value.is_integer():
                whole, value = True, int(value)
            if not whole or not 0 <= value <= _MOST:
                raise InputError(name, f"{shown(value)} is not a whole number", "check the config")
            return int(value)
        return None

    def numbers(self, name: str) -> list[int]:
        """Return a list of whole numbers, empty where none is given.

        Raises
        ------
        InputError
            If it is something else.
        """
        value = self.get(name)
        if value is None:
            return []
        plain = isinstance(value, list) and all(
            isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= _MOST
            for one in value
        )
        if not plain:
            raise InputError(
                name, f"{shown(value)} is no list of whole numbers", "check the config"
            )
        return list(value)

    def words(self, name: str) -> list[str]:
        """Return a list of words, empty where none is given.

        Raises
        ------
        InputError
            If it is something else.
        """
        value = self.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InputError(name, f"{shown(value)} is no list of words", "check the config")
        return list(value)

    def whole(self, *names: str) -> int:
        """Return the first whole number above 0 under one of `names`.

        Raises
        ------
        InputError
            If none is given.
        """
        value = self.maybe(*names)
        if value is None:
            others = f" (or {', '.join(names[1:])})" if names[1:] else ""
            raise InputError(names[0], f"is missing{others}", "add it to the config")
        if value < 1:
            raise InputError(names[0], f"{value} is below 1", "check the config")
        return value
