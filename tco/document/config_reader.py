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
