"""Recording an uploaded run: once, whole, and with the verdict of the server."""

from __future__ import annotations

import gzip
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.models import ApiToken, Organisation
from hardware_catalog.benchmarks.contract import Document, moment
from hardware_catalog.benchmarks.errors import UploadRefused
from hardware_catalog.benchmarks.recognition import device_peaks, entry_of_device
from hardware_catalog.benchmarks.verdict import Judged, Judgement, judge
from hardware_catalog.models import BenchmarkRun, CatalogEntry, Measurement, RunDevice

COUNT_MAX = 2**53


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that is in the database, and whether this upload put it there."""

    run: BenchmarkRun
    created: bool


def benchmark_run_record(
    *, organisation: Organisation, token: ApiToken | None, raw: bytes, document: Document
) -> Recorded:
    """Store a checked document, or find that it is stored already.

    The same run id with the same content is a replay and changes nothing; ids of other
    organisations do not count. When the function returns, the run is committed.

    Parameters
    ----------
    organisation, token
        Whose run it is, and the token it came with (None for a signed-in person).
    raw
        The bytes of the document, inflated, as received.
    document
        What `contract.read_document` returned for `raw`.

    Raises
    ------
    UploadRefused
        409 `idempotency_conflict` when the id is taken by other content, which is kept; 422
        `signature_required` when the site takes signed documents only.
    """
    if not settings.BENCHMARK_ACCEPT_UNSIGNED:
        raise UploadRefused(
            422,
            "signature_required",
            "This site takes signed documents only and knows no key of this agent.",
        )
    known = _known(organisation, document)
    if known is not None:
        return Recorded(known, created=False)
    try:
        with transaction.atomic():
            return Recorded(_store(organisation, token, raw, document), created=True)
    except IntegrityError:
        # Another process stored the same id between the look and the write: the constraint decides.
        known = _known(organisation, document)
        if known is None:
            raise
        return Recorded(known, created=False)


def _known(organisation: Organisation, document: Document) -> BenchmarkRun | None:
    run = BenchmarkRun.objects.filter(organisation=organisation, run_id=document["run_id"]).first()
    if run is not None and run.content_sha256 != document["integrity"]["content_sha256"]:
        raise UploadRefused(
            409,
            "idempotency_conflict",
            "This run id is taken by a run with other content, which is kept.",
            [
                {
                    "pointer": "/run_id",
                    "code": "idempotency_conflict",
                    "message": "Give a new run its own id.",
                }
            ],
        )
    return run


def _store(
    organisation: Organisation, token: ApiToken | None, raw: bytes, document: Document
) -> BenchmarkRun:
    # The row of the run goes first: a rival with the same id waits here for our commit.
    time = document["time"]
    run = BenchmarkRun(
        organisation=organisation,
        token=token,
        run_id=document["run_id"],
        content_sha256=document["integrity"]["content_sha256"],
        raw_gzip=gzip.compress(raw, mtime=0),
        schema_version=document["schema_version"],
        profile=document["profile"],
        agent_name=document["agent"]["name"],
        agent_version=document["agent"]["version"],
        seq=document["seq"],
        machine_id=document["node"]["id"],
        machine_label=document["node"].get("label") or "",
        fingerprint=document["fingerprint"],
        environment=document["env"],
        host=document.get("host", {}),
        started_at=moment(time["started_at"]),
        finished_at=moment(time["finished_at"]),
        duration_s=time["duration_ns"] / 1e9,
        verdict="trusted",
    )
    run.save()
    entries = {
        device["key"]: entry_of_device(organisation=organisation, device=device)
        for device in document["devices"]
    }
    peaks = {key: device_peaks(entry) for key, entry in entries.items()}
    judgement = judge(document, peaks)
    run.verdict = judgement.verdict
    run.flags = [flag.as_json() for flag in judgement.flags]
    run.save(update_fields=["verdict", "flags"])
    _store_measurements(run, document, judgement, entries)
    return run


def _store_measurements(
    run: BenchmarkRun,
    document: Document,
    judgement: Judgement,
    entries: dict[str, CatalogEntry],
) -> None:
    usable = _usable(document, judgement)
    with_news = {document["results"][index]["device"] for index in usable}
    devices: dict[str, RunDevice] = {}
    for device in document["devices"]:
        devices[device["key"]] = RunDevice.objects.create(
            run=run,
            entry=entries[device["key"]],
            key=device["key"],
            kind=device["kind"],
            vendor=device["vendor"],
            model=device["model"],
            driver=device.get("driver") or "",
            memory_bytes=device.get("mem_bytes"),
            cores=device.get("cores"),
            needs_refresh=device["key"] in with_news,
        )
    Measurement.objects.bulk_create(
        _measurement(run, devices[result["device"]], index, result, judged, index in usable)
        for index, (result, judged) in enumerate(
            zip(document["results"], judgement.results, strict=True)
        )
    )


def _usable(document: Document, judgement: Judgement) -> set[int]:
    """Positions of the results that may feed figures: with all threads, where there is a choice."""
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for index, judged in enumerate(judgement.results):
        reading = judged.reading
        if reading is not None and reading.metric:
            result = document["results"][index]
            shape = (reading.metric, reading.dtype, reading.m, reading.n, reading.k)
            groups[(result["device"], result["params"].get("op"), *shape)].append(index)
    usable = set()
    for indexes in groups.values():
        threads = {i: judgement.results[i].reading.threads for i in indexes}  # type: ignore[union-attr]
        most = max(threads.values())
        usable |= {
            i for i in indexes if threads[i] == most and judgement.usable(judgement.results[i])
        }
    return usable


def _measurement(
    run: BenchmarkRun,
    device: RunDevice,
    position: int,
    result: dict[str, Any],
    judged: Judged,
    usable: bool,
) -> Measurement:
    row = Measurement(
        run=run,
        device=device,
        position=position,
        benchmark=result["id"],
        params=result["params"],
        status=result["status"],
        reason=result.get("reason") or "",
        verdict=judged.verdict,
        flags=[flag.as_json() for flag in judged.flags],
        usable=usable,
    )
    if judged.timing is not None:
        row.median_ns = judged.timing.median_ns
        row.samples_total = min(judged.timing.samples_total, COUNT_MAX)
        row.blocks_ns = [list(block) for block in judged.timing.blocks_ns]
    reading = judged.reading
    if reading is not None:
        row.metric, row.dtype = reading.metric, reading.dtype
        row.m, row.n, row.k = reading.m, reading.n, reading.k
        row.value, row.low, row.high = reading.value, reading.low, reading.high
        row.unit = reading.unit
    return row
