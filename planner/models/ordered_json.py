"""JSON that keeps its order: page, CSV and workbook read KPIs as the engine gives them."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.types.json import Json


class OrderedJSONField(models.JSONField):
    """PostgreSQL's `json`, not `jsonb`, which sorts keys by length."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """Column type."""
        return "json"

    def get_db_prep_value(
        self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False
    ) -> Any:
        """Send the text as it is."""
        return None if value is None else Json(value)

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        """Psycopg has read it already."""
        if isinstance(value, str):
            return super().from_db_value(value, expression, connection)
        return value
