"""`kubectl get nodes -o json` as pools of servers, and node pools for a plan."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tco.document.inventory.netbox import slug
from tco.errors import InputError, InputErrors

_TYPE = "node.kubernetes.io/instance-type"
_PRODUCT = ("nvidia.com/gpu.product", "amd.com/gpu.product-name", "gpu.intel.com/product")
_OWN = {"cpu", "memory", "pods", "ephemeral-storage"}


def read_nodes(
    text: str, kit: Sequence[Mapping[str, Any]], file: str = "nodes.json"
) -> list[dict[str, Any]]:
    """Nodes of a cluster as members of a hall's `pools`, counted by kind and labels.

    A node is of the kind whose `resource` and `devices_each` are what it has; where several are
    alike, of the one whose key or model is its instance type or its device's product.

    Raises
    ------
    InputErrors
        Every node that cannot be read or is of no kind of the hall, by its number.
    """
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        message = f"this is not JSON: {error}"
        raise InputErrors((InputError(file, message, "use kubectl get nodes -o json"),)) from None
    items = document.get("items") if isinstance(document, dict) else None
    if not isinstance(items, list):
        message = "there is no list of items"
        raise InputErrors((InputError(file, message, "use kubectl get nodes -o json"),))
    errors: list[InputError] = []
    counts: dict[tuple[str, tuple[str, ...]], int] = {}
    for number, item in enumerate(items, 1):
        found = _node(item, kit, f"{file} item {number}", errors)
        if found is not None:
            counts[found] = counts.get(found, 0) + 1
    if errors:
        raise InputErrors(tuple(errors))
    pools = []
    for index, ((key, labels), count) in enumerate(counts.items(), 1):
        pool: dict[str, Any] = {"key": f"{slug(key)}-{index}", "kit": key, "count": count}
        pools.append(pool | ({"labels": list(labels)} if labels else {}))
    return pools


def _node(
    item: Any, kit: Sequence[Mapping[str, Any]], place: str, errors: list[InputError]
) -> tuple[str, tuple[str, ...]] | None:
    before = len(errors)
    kind = item.get("kind", "Node") if isinstance(item, dict) else None
    if kind != "Node":
        errors.append(InputError(place, "is no Node", "use kubectl get nodes -o json"))
        return None
    metadata, status = item.get("metadata"), item.get("status")
    labels = metadata.get("labels", {}) if isinstance(metadata, dict) else None
    capacity = status.get("capacity") if isinstance(status, dict) else None
    if not isinstance(labels, dict):
        errors.append(InputError(f"{place}, metadata.labels", "is missing", "export it whole"))
    if not isinstance(capacity, dict):
        errors.append(InputError(f"{place}, status.capacity", "is missing", "export it whole"))
    if len(errors) > before:
        return None
    assert isinstance(labels, dict)
    assert isinstance(capacity, dict)
    devices = {}
    for name, value in capacity.items():
        if "/" in name and name not in _OWN:
            if not str(value).isdecimal():
                where = f"{place}, status.capacity[{name}]"
                errors.append(InputError(where, f"{value!r} is no count", "export it again"))
            elif int(value) > 0:
                devices[name] = int(value)
    if len(errors) > before:
        return None
    words = [labels.get(name, "") for name in (_TYPE, *_PRODUCT)]
    known = _kind(kit, devices, [str(word) for word in words if word])
    if known is None:
        counted = ", ".join(f"{count} x {name}" for name, count in devices.items()) or "no device"
        mend = "add a kind with this resource and devices_each to the hall"
        errors.append(InputError(f"{place}, status.capacity", f"no kind has {counted}", mend))
        return None
    kept = tuple(f"{name}={labels[name]}" for name in (_TYPE, *_PRODUCT) if name in labels)
    return known, kept


def _kind(
    kit: Sequence[Mapping[str, Any]], devices: Mapping[str, int], words: Sequence[str]
) -> str | None:
    alike = [
        item
        for item in kit
        if (not devices and not item.get("resource"))
        or (
            devices.get(item.get("resource", "")) == item.get("devices_each")
            and item.get("resource")
        )
    ]
    named = [item for item in alike if item["key"] in words or str(item.get("model", "-")) in words]
    chosen = named or (alike if len(alike) == 1 else [])
    return str(chosen[0]["key"]) if chosen else None


def write_pools(
    pools: Sequence[Mapping[str, Any]],
    needs: Sequence[Mapping[str, Any]],
    kit: Sequence[Mapping[str, Any]],
) -> str:
    """Node pools with their counts, device resources and labels: what stands, then what comes."""
    kinds = {item["key"]: item for item in kit}
    return json.dumps({"nodePools": list(_pools(pools, needs, kinds))}, indent=2) + "\n"


def _pools(
    pools: Sequence[Mapping[str, Any]],
    needs: Sequence[Mapping[str, Any]],
    kinds: Mapping[str, Mapping[str, Any]],
) -> Iterator[dict[str, Any]]:
    for item, planned in (*((pool, False) for pool in pools), *((need, True) for need in needs)):
        kind = kinds[item["kit"]]
        if planned and not kind.get("resource"):
            continue
        labels = dict(label.split("=", 1) for label in item.get("labels", []) if "=" in label)
        resource = kind.get("resource")
        yield {
            "name": item["key"],
            "count": item["count"],
            "planned": planned,
            "resources": {resource: kind.get("devices_each", 0)} if resource else {},
            "labels": labels or {"tco/kind": kind["key"]},
        }
