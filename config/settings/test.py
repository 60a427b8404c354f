"""Tests: the embedded database, cheap password hashes, tasks over a real worker only on demand."""

from __future__ import annotations

import os

from config.local_services import local_defaults

for _name, _value in local_defaults(folder="test").items():
    os.environ.setdefault(_name, _value)

from config.settings.base import *  # noqa: E402, F403 -- settings files import the base

if os.environ.get("TCO_TEST_DB"):
    DATABASES["default"]["TEST"] = {"NAME": os.environ["TCO_TEST_DB"]}  # noqa: F405

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
ALLOWED_HOSTS = ["*"]
# Tests that want a worker start one and turn this off.
RUN_INLINE_S = 120.0  # tests of what takes longer lower it
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
