"""History of the catalog: rows are only ever added."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from hardware_catalog.models.entry import CatalogEntry


class Change(models.Model):
    """Who changed what, when and why, with the values before and after."""

    entry = models.ForeignKey(CatalogEntry, on_delete=models.CASCADE, related_name="changes")
    # None: the seed catalog, or a token
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    by = models.CharField(max_length=100)  # as shown: a person, a token or the seed catalog
    at = models.DateTimeField(default=timezone.now)
    message = models.CharField(max_length=500)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return self.message

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the row; an existing one cannot be changed."""
        if self.pk is not None:
            raise TypeError("A change in the history cannot be rewritten.")
        super().save(*args, **kwargs)


class SeedLoad(models.Model):
    """Which seed files the database holds."""

    checksum = models.CharField(max_length=64)
    loaded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.checksum
