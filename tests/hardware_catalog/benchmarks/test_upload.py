"""Uploading runs: once, whole, checked, and only into one's own organisation."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json

import pytest

from hardware_catalog.models import BenchmarkRun, Measurement
from tests.hardware_catalog.benchmarks.conftest import sealed, with_new_id


def _digest(data: bytes) -> str:
    return f"sha-256=:{base64.b64encode(hashlib.sha256(data).digest()).decode()}:"


def test_new_run_is_201_with_verdict_and_page(upload, document):
    """A clean run is stored whole, judged trusted, and its page is named."""
    answer = upload(document, HTTP_IDEMPOTENCY_KEY=document["run_id"])
    assert answer.status_code == 201
    assert answer.json() == {
        "run_id": document["run_id"],
        "url": f"http://testserver/measurements/{document['run_id']}/",
        "verdict": "trusted",
        "flags": [],
    }
    run = BenchmarkRun.objects.get()
    assert json.loads(gzip.decompress(run.raw_gzip)) == document
    assert run.measurements.count() == len(document["results"])
    # 2 * 512 * 1024 * 1024 operations in the time of the clean run's 800 GFLOP/s
    gemm = run.measurements.get(metric="gemm", dtype="fp32", m=512)
    assert gemm.value == pytest.approx(0.8, rel=2e-3)
    assert gemm.unit == "TFLOP/s"
    assert gemm.low < gemm.value < gemm.high


def test_replay_is_200_and_changes_nothing(upload, document):
    """The same run again, sent at another time, is the same run."""
    first = upload(document)
    document["time"]["sent_at"] = "2026-12-01T00:00:00.000Z"
    again = upload(document)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again["Idempotent-Replay"] == "true"
    assert "Idempotent-Replay" not in first
    assert again.json() == first.json()
    assert BenchmarkRun.objects.count() == 1


def test_other_content_under_a_taken_id_is_409(upload, document):
    """The run that came first is kept."""
    upload(document)
    kept = BenchmarkRun.objects.get().content_sha256
    document["seq"] = 2
    answer = upload(sealed(document))
    assert answer.status_code == 409
    assert answer.json()["code"] == "idempotency_conflict"
    assert BenchmarkRun.objects.get().content_sha256 == kept


def test_same_id_of_another_organisation_is_independent(upload, document, other_token):
    """One tenant's ids neither block nor reveal another's."""
    assert upload(document).status_code == 201
    document["seq"] = 2
    assert upload(sealed(document), token=other_token).status_code == 201
    assert BenchmarkRun.objects.count() == 2


def test_idempotency_key_must_be_the_run_id(upload, document):
    """A header that names another run is refused, and nothing is stored."""
    answer = upload(document, HTTP_IDEMPOTENCY_KEY="01937c2e-8a7b-7cc1-9f7e-000000000000")
    assert answer.status_code == 422
    assert answer.json()["code"] == "idempotency_key_mismatch"
    assert not BenchmarkRun.objects.exists()


def test_content_digest_is_over_the_bytes_sent(upload, document):
    """A right digest passes, a wrong or malformed one is 400."""
    data = json.dumps(document).encode()
    assert upload(data, HTTP_CONTENT_DIGEST=_digest(data + b" ")).status_code == 400
    malformed = upload(data, HTTP_CONTENT_DIGEST="sha-256=nonsense")
    assert (malformed.status_code, malformed.json()["code"]) == (400, "digest_mismatch")
    assert not BenchmarkRun.objects.exists()
    both = f"sha-512=:{base64.b64encode(b'x' * 64).decode()}:, {_digest(data)}"
    assert upload(data, HTTP_CONTENT_DIGEST=both).status_code == 201


def test_changed_content_is_422(upload, document):
    """A document that was altered after it was sealed names its digest."""
    document["results"][0]["summary"]["median_ns"] += 1
    answer = upload(document)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/integrity/content_sha256"


def test_schema_errors_come_with_pointers(upload, document):
    """All faults are listed at once, each where it stands."""
    document["devices"][0]["vendor"] = ""
    document["results"][1]["params"]["colour"] = "red"
    del document["results"][2]["timer"]
    answer = upload(sealed(document))
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["code"] == "invalid_document"
    pointers = {error["pointer"] for error in body["errors"]}
    assert pointers == {"/devices/0/vendor", "/results/1/params", "/results/2"}
    assert not BenchmarkRun.objects.exists()


def test_dangling_device_duplicate_key_and_false_date_are_422(upload, document):
    """What a schema cannot see is seen all the same."""
    document["results"][3]["device"] = "d7"
    document["devices"].append(dict(document["devices"][0]))
    document["time"]["finished_at"] = "2026-02-30T19:40:41.123Z"
    answer = upload(sealed(document))
    pointers = [error["pointer"] for error in answer.json()["errors"]]
    assert pointers == ["/time/finished_at", "/devices/1/key", "/results/3/device"]


def test_unknown_major_names_the_supported_ones(upload, document):
    """A newer major is refused in a way that lets the agent wait."""
    document["schema_version"] = "2.0"
    answer = upload(sealed(document))
    assert answer.status_code == 422
    assert answer.json()["code"] == "schema_unsupported"
    assert answer.json()["supported"] == ["1.x"]


def test_newer_minor_and_unknown_members_are_kept(upload, document):
    """What a newer agent adds is kept in the document and ignored."""
    document["schema_version"] = "1.7"
    document["weather"] = {"inlet_c": 21.5}
    document["results"].append(
        {**document["results"][0], "id": "comets.v1", "params": {"tail": "long"}}
    )
    assert upload(sealed(document)).status_code == 201
    run = BenchmarkRun.objects.get()
    assert json.loads(gzip.decompress(run.raw_gzip))["weather"] == {"inlet_c": 21.5}
    unknown = Measurement.objects.get(benchmark="comets.v1")
    assert (unknown.metric, unknown.usable) == ("", False)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b" ", "not JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b'{"a": 1, "a": 2}', "appears twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e999}', "out of range"),
        (b'{"a": ' + b"9" * 30 + b"}", "18 digits"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"a":' * 9 + b"1" + b"}" * 9, "deeper than 8"),
        (b"[" * 200_000, "deep"),
        (b'{"a": "half', "not JSON"),
    ],
)
def test_malformed_json_is_400(upload, body, words):
    """Strict JSON: what others let pass is named."""
    answer = upload(body)
    assert answer.status_code == 400
    assert answer.json()["code"] == "malformed_json"
    assert words in answer.json()["title"]


@pytest.mark.parametrize("text", ["\\u0000", "\\ud800"])
def test_text_that_cannot_be_stored_is_422(upload, document, text):
    """A null or half a surrogate pair would fail in the database: it is refused at the door."""
    data = json.dumps(document).replace('"vendor": "Test Works"', f'"vendor": "Test{text}"')
    answer = upload(data.encode())
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/devices/0/vendor"


def test_numbers_at_the_edge_of_the_columns_are_stored(upload, document):
    """The largest counts that the schema allows do not overflow a column."""
    document["devices"][0]["mem_bytes"] = 10**18 - 1
    document["devices"][0]["cores"] = 10**18 - 1
    document["seq"] = 10**18 - 1
    document["results"][0]["samples_total"] = 2**53 - 1
    document["results"][0]["params"] |= {"m": 10**18 - 1}
    assert upload(sealed(document)).status_code == 201


def test_gzip_is_read_and_its_digest_is_of_the_gzip(upload, document):
    """A compressed body counts as sent for the digest, and inflated for the content."""
    data = gzip.compress(json.dumps(document).encode())
    headers = {"HTTP_CONTENT_ENCODING": "gzip", "HTTP_CONTENT_DIGEST": _digest(data)}
    assert upload(data, **headers).status_code == 201


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (gzip.compress(b" " * 50_000_000, mtime=0), 413, "too_large"),
        (b"no gzip at all", 400, "malformed_gzip"),
        (gzip.compress(b"{}", mtime=0)[:-4], 400, "malformed_gzip"),
        (gzip.compress(b"{}", mtime=0) + b"tail", 400, "malformed_gzip"),
        (b"\x1f\x8b" + b"0" * 262_143, 413, "too_large"),
    ],
)
def test_bad_gzip_is_refused(upload, data, status, code):
    """A bomb is stopped at the limit; what is not one whole member is named."""
    answer = upload(data, HTTP_CONTENT_ENCODING="gzip")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_too_large_is_413(upload, document, settings):
    """The limit is the setting, and it is told."""
    settings.BENCHMARK_MAX_BYTES = len(json.dumps(document)) - 1
    answer = upload(document)
    assert answer.status_code == 413
    assert answer.json()["limit_bytes"] == settings.BENCHMARK_MAX_BYTES
    settings.BENCHMARK_MAX_BYTES += 1
    assert upload(document).status_code == 201


@pytest.mark.parametrize(
    "headers",
    [
        {"content_type": "text/plain"},
        {"content_type": "application/x-www-form-urlencoded"},
        {"HTTP_CONTENT_ENCODING": "br"},
        {"HTTP_CONTENT_ENCODING": "gzip, gzip"},
    ],
)
def test_other_types_and_codings_are_415(upload, document, headers):
    """JSON, plain or by gzip, and nothing else."""
    answer = upload(document, **headers)
    assert answer.status_code == 415
    assert answer["Content-Type"] == "application/problem+json"


def test_without_a_token_is_401(client, document, db):
    """A stranger is told to authenticate."""
    answer = client.post(
        "/api/v1/benchmark-runs/", json.dumps(document), content_type="application/json"
    )
    assert answer.status_code == 401


def test_unsigned_is_refused_where_the_site_wants_signatures(upload, document, settings):
    """The site's policy decides, and the answer says so."""
    settings.BENCHMARK_ACCEPT_UNSIGNED = False
    answer = upload(document)
    assert (answer.status_code, answer.json()["code"]) == (422, "signature_required")


def test_architect_may_upload_and_finance_may_not(client, ada, fin, document):
    """A signed-in person uploads by role, with the token of the form against forgery."""
    from rest_framework.test import APIClient

    api = APIClient()
    api.force_authenticate(fin)
    assert api.post("/api/v1/benchmark-runs/", document, format="json").status_code == 403
    api.force_authenticate(ada)
    assert api.post("/api/v1/benchmark-runs/", document, format="json").status_code == 201
    assert BenchmarkRun.objects.get().token is None


def test_runs_of_others_are_not_there(upload, document, other_token, client, eve):
    """Neither list, detail, page, document nor figure shows another organisation's run."""
    upload(document)
    client.force_login(eve)
    run_id = document["run_id"]
    for address in (
        f"/api/v1/benchmark-runs/{run_id}/",
        f"/measurements/{run_id}/",
        f"/measurements/{run_id}/document/",
        "/measurements/devices/test-works-test-cpu-9000-uploaded/",
    ):
        assert client.get(address).status_code == 404, address
    assert client.get("/api/v1/benchmark-runs/").json()["count"] == 0
    assert client.get("/api/v1/throughput-figures/").json()["count"] == 0
    assert "Test CPU 9000" not in client.get("/measurements/").content.decode()


def test_reader_sees_list_detail_and_figures(upload, document, ada_client):
    """What was uploaded is there for the members of the organisation."""
    upload(document)
    upload(with_new_id(document))
    listed = ada_client.get("/api/v1/benchmark-runs/?verdict=trusted").json()
    assert listed["count"] == 2
    assert listed["results"][0]["devices"][0]["catalog_name"] == "Test CPU 9000"
    assert ada_client.get("/api/v1/benchmark-runs/?verdict=untrusted").json()["count"] == 0
    detail = ada_client.get(f"/api/v1/benchmark-runs/{document['run_id']}/").json()
    assert len(detail["measurements"]) == len(document["results"])
    assert detail["environment"]["torch"] == "2.13.0+cpu"
    figures = ada_client.get("/api/v1/throughput-figures/?metric=membw").json()["results"]
    assert [figure["value"] for figure in figures] == [pytest.approx(60.0, rel=2e-3)]
    assert len(figures[0]["runs"]) == 2
