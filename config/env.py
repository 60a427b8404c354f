"""Typed readers of environment variables: a wrong value fails at start, with its name."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def env_text(name: str, default: str | None = None) -> str:
    """Return the variable, or the default; without a default it is required."""
    value = os.environ.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"Set the environment variable {name}.")
    return value


def env_bool(name: str, default: bool) -> bool:
    """Return True for 1/true/yes/on, False for 0/false/no/off."""
    value = os.environ.get(name)
    if value is None or value == "":
        return default
    if value.lower() in {"1", "true", "yes", "on"}:
        return True
    if value.lower() in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name}={value!r} is not a yes or no: use 1 or 0.")


def env_int(name: str, default: int) -> int:
    """Return a whole number."""
    value = os.environ.get(name)
    if value is None or value == "":
        return default
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number.") from None


def env_list(name: str, default: str = "") -> list[str]:
    """Return a comma-separated list."""
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def env_secret(name: str, default: str | None = None) -> str:
    """Return a secret from NAME or from the file that NAME_FILE names."""
    file_name = os.environ.get(f"{name}_FILE")
    if file_name:
        return Path(file_name).read_text(encoding="utf-8").strip()
    return env_text(name, default)
