"""Every kind of catalog entry."""

from __future__ import annotations

import functools

from hardware_catalog.seed.spec_cloud import CLOUD_KINDS
from hardware_catalog.seed.spec_hardware import HARDWARE_KINDS
from hardware_catalog.seed.spec_site import SITE_KINDS
from hardware_catalog.seed.spec_support import SUPPORT_KINDS
from hardware_catalog.seed.specs import KindSpec


@functools.lru_cache(maxsize=1)
def all_kinds() -> dict[str, KindSpec]:
    """Return every kind by its key, in the order in which pages show them."""
    return {
        spec.kind: spec for spec in (*HARDWARE_KINDS, *SUPPORT_KINDS, *CLOUD_KINDS, *SITE_KINDS)
    }
