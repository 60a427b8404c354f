"""Recognising the device of a run in the catalog, or keeping it for a person to judge."""

from __future__ import annotations

import csv

import pytest

from hardware_catalog.benchmarks.device_names import Candidate, find_device
from hardware_catalog.benchmarks.recognition import device_peaks
from hardware_catalog.models import CatalogEntry, Figure
from hardware_catalog.seed.reader import FOLDER
from tests.data.clean_bench_run import clean_document
from tests.hardware_catalog.benchmarks.conftest import sealed, with_new_id


@pytest.fixture(scope="module")
def seeded():
    """Keys and candidates of the seed catalog's devices."""
    with (FOLDER / "devices.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["device_key"] for row in rows], [
        Candidate(
            pk=index,
            name=row["name"],
            is_cpu=row["device_class"] == "server CPU",
            memory_gb=float(row["memory_gb"]) if row["memory_gb"] else None,
        )
        for index, row in enumerate(rows)
    ]


# Names as drivers give them, with the memory they report in GB.
GPUS = [
    ("NVIDIA H100 80GB HBM3", 84.9, "h100-sxm"),
    ("NVIDIA H100 PCIe", 84.9, "h100-pcie"),
    ("NVIDIA H100 NVL", 100.0, "h100-nvl"),
    ("NVIDIA H200", 150.1, "h200-sxm"),
    ("NVIDIA A100-SXM4-80GB", 84.9, "a100-sxm-80"),
    ("NVIDIA A100-PCIE-40GB", 42.4, "a100-pcie-40"),
    ("NVIDIA A100 80GB PCIe", 84.9, "a100-pcie-80"),
    ("AMD Instinct MI300X", 206.1, "mi300x"),
    ("NVIDIA L40S", 47.6, "l40s"),
    ("NVIDIA L40", 47.6, "l40"),
    ("NVIDIA L4", 23.6, "l4"),
    ("Tesla T4", 15.8, "t4"),
    ("NVIDIA A10G", 23.7, "a10g"),
    ("Tesla V100-SXM2-16GB", 16.9, "v100-sxm-16"),
    ("NVIDIA B200", 191.0, "b200"),
    ("NVIDIA RTX 6000 Ada Generation", 51.0, "rtx6000-ada"),
    ("Quadro RTX 6000", 25.4, "rtx6000-turing"),
    # One of two halves that each show up as a device, and chips the catalog does not have.
    ("AMD Instinct MI250X", 68.7, None),
    ("NVIDIA H20", 102.0, None),
    ("AMD Instinct MI300U", 200.0, None),
    ("NVIDIA Graphics Device", 80.0, None),
]
CPUS = [
    ("AMD EPYC 9654 96-Core Processor", "epyc-9654"),
    ("Intel(R) Xeon(R) Platinum 8480+", "xeon-8480plus"),
    ("INTEL(R) XEON(R) PLATINUM 8592+", "xeon-8592plus"),
    ("Intel(R) Xeon(R) Platinum 8480C", None),
    ("Intel(R) Xeon(R) Processor @ 2.70GHz", None),
    ("AMD EPYC 7R13 Processor", None),
    ("AMD Ryzen 9 9654X", None),
]


@pytest.mark.parametrize(("name", "memory_gb", "key"), GPUS)
def test_gpu_names(seeded, name, memory_gb, key):
    """The name of the driver finds the one row it means, or none."""
    keys, candidates = seeded
    found = find_device(name, is_cpu=False, memory_gb=memory_gb, candidates=candidates)
    assert (keys[found.pk] if found else None) == key


@pytest.mark.parametrize(("name", "key"), CPUS)
def test_cpu_names(seeded, name, key):
    """CPUs are told apart by their model number; system memory says nothing."""
    keys, candidates = seeded
    found = find_device(name, is_cpu=True, memory_gb=540.0, candidates=candidates)
    assert (keys[found.pk] if found else None) == key


def test_every_catalog_name_finds_itself_or_nothing(seeded):
    """No row of the catalog is ever mistaken for another."""
    keys, candidates = seeded
    for candidate in candidates:
        found = find_device(
            candidate.name,
            is_cpu=candidate.is_cpu,
            memory_gb=candidate.memory_gb,
            candidates=candidates,
        )
        assert found is None or keys[found.pk] == keys[candidate.pk], candidate.name


def _entry(organisation, key, name, kind="gpu", **figures):
    entry = CatalogEntry.objects.create(
        kind="device",
        key=key,
        name=name,
        vendor="V",
        organisation=organisation,
        attributes={"device_kind": kind},
    )
    for figure, value in figures.items():
        Figure.objects.create(
            entry=entry, name=figure, value=value, unit="x", status="published", source="test"
        )
    return entry


def test_unknown_device_becomes_pending(upload, document, demo_organisation):
    """A device nobody knows waits for a person, with what was measured and nothing invented."""
    upload(document)
    entry = CatalogEntry.objects.get()
    assert entry.pending
    assert (entry.organisation, entry.name, entry.vendor) == (
        demo_organisation,
        "Test CPU 9000",
        "Test Works",
    )
    assert entry.attributes["device_kind"] == "cpu"
    figure = entry.figures.get()
    assert (figure.name, figure.unit, figure.status) == ("memory_gb", "GB", "measured")
    assert figure.value == pytest.approx(128 * 2**30 / 1e9)
    assert entry.changes.count() == 1


def test_second_run_finds_the_pending_device_again(upload, document, demo_organisation):
    """One entry for one device, also after a person has confirmed and renamed it."""
    upload(document)
    CatalogEntry.objects.update(pending=False, name="Our big box")
    upload(with_new_id(document))
    entry = CatalogEntry.objects.get()
    assert (entry.name, entry.run_devices.count()) == ("Our big box", 2)


def test_known_device_is_used_and_not_doubled(upload):
    """A name that the catalog knows makes no entry."""
    known = _entry(None, "epyc-9654", "EPYC 9654", kind="cpu", tflops_fp32_vector_dense=10.9)
    upload(with_new_id(clean_document(device_model="AMD EPYC 9654 96-Core Processor")))
    assert CatalogEntry.objects.get() == known
    assert known.run_devices.count() == 1


def test_own_entry_wins_over_the_shared_one(upload, demo_organisation):
    """An own entry of the same key shadows the shared one, here as everywhere."""
    _entry(None, "epyc-9654", "EPYC 9654", kind="cpu")
    own = _entry(demo_organisation, "epyc-9654", "EPYC 9654", kind="cpu")
    upload(with_new_id(clean_document(device_model="AMD EPYC 9654 96-Core Processor")))
    assert own.run_devices.count() == 1


def test_own_devices_of_others_do_not_count(upload, other_organisation, demo_organisation):
    """Another organisation's entry is neither used nor seen."""
    theirs = _entry(other_organisation, "epyc-9654", "EPYC 9654", kind="cpu")
    upload(with_new_id(clean_document(device_model="AMD EPYC 9654 96-Core Processor")))
    assert theirs.run_devices.count() == 0
    assert CatalogEntry.objects.get(organisation=demo_organisation).pending


def test_catalog_peak_catches_a_run_that_is_too_fast(upload):
    """0.8 TFLOP/s measured on a CPU that can do 0.3 on each of two sockets: untrusted."""
    _entry(None, "epyc-9654", "EPYC 9654", kind="cpu", tflops_fp32_vector_dense=0.3)
    answer = upload(with_new_id(clean_document(device_model="AMD EPYC 9654 96-Core Processor")))
    assert answer.json()["verdict"] == "untrusted"


def test_peaks_take_matrix_units_and_upper_ends(db):
    """fp32 runs on the fp64 matrix units where those are faster; a range counts by its end."""
    entry = _entry(
        None,
        "x",
        "X 100",
        tflops_fp64_vector_dense=47.9,
        tflops_fp64_matrix_dense=95.7,
        tflops_fp32_vector_dense=47.9,
        tflops_bf16_dense=383.0,
    )
    Figure.objects.filter(entry=entry, name="tflops_bf16_dense").update(high=400.0)
    peaks = device_peaks(entry)
    assert peaks.tflops == {"fp64": 95.7, "fp32": 95.7, "bf16": 400.0}
    assert peaks.memory_gb_s is None


def test_several_devices_of_a_run(upload, document):
    """Two devices of one name share an entry; another name gets its own."""
    first = document["devices"][0]
    document["devices"] += [{**first, "key": "d1"}, {**first, "key": "d2", "model": "Aux 77"}]
    document["results"].append({**document["results"][7], "device": "d1"})
    assert upload(sealed(document)).status_code == 201
    assert {entry.name: entry.run_devices.count() for entry in CatalogEntry.objects.all()} == {
        "Test CPU 9000": 2,
        "Aux 77": 1,
    }
