"""Names of measured rows as names of the catalog (alias tables, MLPerf names, spellings)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tco.inputs import Device, LanguageModel


class Catalog(Protocol):
    """What the resolver asks of a catalog."""

    def device(self, key: str) -> Device | None:
        """Return the device, or None."""
        ...

    def model(self, key: str) -> LanguageModel | None:
        """Return the model's shape, or None."""
        ...

    def keys(self, kind: str) -> tuple[str, ...]:
        """Return all keys of ``device`` or ``model``."""
        ...


@dataclass(frozen=True, slots=True)
class ModelAlias:
    """A model of the catalog behind a measured name; an empty key means none, see `note`."""

    key: str
    weight_dtype: str = ""  # where the name or the native format fixes it
    note: str = ""


@dataclass(frozen=True, slots=True)
class DeviceAlias:
    """Devices of the catalog behind a measured key."""

    key: str  # the default; empty: none, see `note`
    others: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Aliases:
    """Alias tables by measured name."""

    devices: Mapping[str, DeviceAlias]
    models: Mapping[str, ModelAlias]


# Sources whose rows of a measured key are another card than the default (device_aliases.csv).
SOURCE_DEVICE = {
    ("argonne", "a100-sxm"): "a100-sxm-40",
    ("zeus", "v100"): "v100-pcie-16",
}
# Words of a checkpoint name that say how it was trained or stored, not what shape it has.
_WORDS = frozenset(
    {"instruct", "chat", "it", "hf", "fp8", "fp4", "nvfp4", "mxfp4", "bf16", "fp16"}
    | {"int8", "int4", "awq", "gptq", "w4a16", "w8a8", "dynamic", "quantized", "preview"}
    | {"2407", "2501", "2503", "2506", "2507", "2512", "0324", "0528", "99", "99.9", "meta"}
    | {"interactive", "v2-fp4"}
)


def aliases_of(
    device_rows: Iterable[Mapping[str, str]], model_rows: Iterable[Mapping[str, str]]
) -> Aliases:
    """Build the alias tables from rows of the two files.

    Parameters
    ----------
    device_rows
        Columns measured_key, device_key, is_default (yes or no), note.
    model_rows
        Columns measured_name, model_id, weight_dtype_hint, note.
    """
    grouped: dict[str, list[Mapping[str, str]]] = {}
    for row in device_rows:
        grouped.setdefault(row["measured_key"], []).append(row)
    devices = {}
    for measured, rows in grouped.items():
        default = next((row for row in rows if row["is_default"] == "yes"), rows[0])
        others = tuple(row["device_key"] for row in rows if row is not default)
        devices[measured] = DeviceAlias(default["device_key"], others, default["note"])
    models = {
        row["measured_name"]: ModelAlias(row["model_id"], row["weight_dtype_hint"], row["note"])
        for row in model_rows
    }
    return Aliases(devices, models)


def find_device(catalog: Catalog, aliases: Aliases, measured: str, source: str) -> Device | str:
    """Return the device of a measured key, or why there is none.

    The catalog's own key is asked first when the table does not redirect it.
    """
    alias = aliases.devices.get(measured)
    if alias is not None:
        for (start, key), other in SOURCE_DEVICE.items():
            if source.startswith(start) and key == measured and other in alias.others:
                return catalog.device(other) or f"the catalog has no device {other}"
        if not alias.key:
            found = catalog.device(measured)  # an entry of the user's own
            return found or f"device {measured} is not in the catalog: {alias.note}"
        return catalog.device(alias.key) or f"the catalog has no device {alias.key}"
    found = catalog.device(measured) or catalog.device(measured.lower())
    return found or f"device {measured} is not in the catalog"


def find_model(
    catalog: Catalog, aliases: Aliases, measured: str
) -> tuple[LanguageModel, str, bool] | str:
    """Return (model, weight dtype fixed by the name or empty, found by spelling), or why not.

    The table comes first: it brings names of one shape together, so that leaving a model out leaves
    out all of them. A name that neither it nor the catalog has is compared without the words of its
    checkpoint (Instruct, FP8, 2507); it must then name one architecture of the catalog, never a
    similar one (P0.5).
    """
    alias = aliases.models.get(measured)
    if alias is not None and alias.key:
        model = catalog.model(alias.key)
        return (model, alias.weight_dtype, False) if model else f"no model {alias.key}"
    if (own := catalog.model(measured)) is not None:
        return own, dtype_of_name(measured), False
    if alias is not None:
        return f"model {measured} is not in the catalog: {alias.note}"
    wanted = stem(measured)
    keys = {one.key for name, one in aliases.models.items() if stem(name) == wanted and one.key}
    if not keys:
        keys = {key for key in catalog.keys("model") if stem(key) == wanted}
    if len(keys) == 1 and (model := catalog.model(keys.pop())) is not None:
        return model, dtype_of_name(measured), True
    return f"model {measured} is not in the catalog"


def stem(name: str) -> str:
    """Return a model's name without owner and words of the checkpoint.

    Examples
    --------
    >>> stem("Qwen/Qwen3-32B-FP8"), stem("meta-llama/Llama-3.1-70B-Instruct")
    ('qwen3-32b', 'llama-3.1-70b')
    >>> stem("llama3.1-405b-99.9"), stem("meta-llama/Meta-Llama-3.1-405B")
    ('llama-3.1-405b', 'llama-3.1-405b')
    """
    low = name.split("/")[-1].lower().replace("_", "-").replace(" ", "-")
    low = re.sub(r"^llama-?(?=\d)", "llama-", re.sub(r"^meta-(?=llama)", "", low))
    low = re.sub(r"(?<=llama-\d)-(?=\d-)", ".", low)  # llama-3-1-8b
    low = re.sub(r"-v0\.\d+", "", low)
    words = [word for word in low.split("-") if word and word not in _WORDS]
    return "-".join(words)


def dtype_of_name(name: str) -> str:
    """Return the weight dtype that a checkpoint's name states, or an empty text.

    Examples
    --------
    >>> dtype_of_name("nvidia/Llama-3.1-70B-Instruct-FP4"), dtype_of_name("Qwen/Qwen3-8B")
    ('fp4', '')
    """
    low = name.lower()
    if "8bit" in low or "w8a8" in low or "int8" in low:
        return "int8"
    for word, dtype in (("nvfp4", "fp4"), ("mxfp4", "fp4"), ("fp4", "fp4"), ("fp8", "fp8")):
        if word in low:
            return dtype
    return "int4" if any(word in low for word in ("awq", "gptq", "w4a16")) else ""
