"""A member that nobody reads is a slip of the sender: it is refused, not ignored."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses members that it does not know, with the nearest name that it does."""

    def to_internal_value(self, data: Any) -> Any:
        """Check the names, then read the values."""
        if isinstance(data, Mapping):
            unknown = {}
            for name in data:
                if name not in self.fields:
                    near = difflib.get_close_matches(str(name), list(self.fields), n=1)
                    hint = f" Did you mean {near[0]}?" if near else " Leave it out."
                    unknown[str(name)[:60]] = [
                        serializers.ErrorDetail(f"There is no such member.{hint}", "unknown")
                    ]
            if unknown:
                raise serializers.ValidationError(unknown)
        return super().to_internal_value(data)


class StrictFloatField(serializers.FloatField):
    """A number: true and false are none."""

    def to_internal_value(self, data: Any) -> float:
        """Read a number."""
        if isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)
