"""One machine: the embedded database and queue under var/ (make demo, make run)."""

from __future__ import annotations

import os

from config.local_services import local_defaults

for _name, _value in local_defaults().items():
    os.environ.setdefault(_name, _value)

from config.settings.base import *  # noqa: E402, F403 -- settings files import the base

DEBUG = os.environ.get("DEBUG", "0") == "1"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
