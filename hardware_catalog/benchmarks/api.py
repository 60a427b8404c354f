"""Benchmark runs and measured figures under /api/v1/."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.db.models import QuerySet
from django.http.request import UnreadablePostError
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import exceptions, generics
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiToken, Organisation
from accounts.permissions import request_organisation
from hardware_catalog.benchmarks.body import check_digest, check_media, check_size, inflate
from hardware_catalog.benchmarks.contract import read_document
from hardware_catalog.benchmarks.errors import UploadRefused
from hardware_catalog.benchmarks.filters import FigureFilter, RunFilter
from hardware_catalog.benchmarks.selectors import run_detail, run_list, throughput_figures
from hardware_catalog.benchmarks.serializers import (
    RunDetailSerializer,
    RunSerializer,
    ThroughputFigureSerializer,
    UploadAnswerSerializer,
)
from hardware_catalog.benchmarks.services import Recorded, benchmark_run_record
from hardware_catalog.benchmarks.tasks import wake
from hardware_catalog.models import BenchmarkRun, ThroughputFigure


class UploadProblem(exceptions.APIException):
    """A refused upload as an answer of the API."""

    def __init__(self, refused: UploadRefused) -> None:
        self.status_code = refused.status
        self.errors = refused.errors
        self.more = refused.more
        super().__init__(refused.detail, refused.code)


def _organisation(request: Request) -> Organisation:
    organisation = request_organisation(request)
    if organisation is None:
        raise exceptions.PermissionDenied("You belong to no organisation.")
    return organisation


def _header(name: str, text: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.HEADER, description=text)


def _refusal(text: str) -> OpenApiResponse:
    return OpenApiResponse(OpenApiTypes.OBJECT, description=f"Problem document: {text}")


class BenchmarkRunList(generics.ListAPIView[BenchmarkRun]):
    """Upload a run, or list the runs of the organisation."""

    serializer_class = RunSerializer
    filterset_class = RunFilter
    queryset = BenchmarkRun.objects.none()
    upload_scope = True

    def get_queryset(self) -> QuerySet[BenchmarkRun]:
        """Runs of the caller's organisation, newest first."""
        return run_list(organisation=_organisation(self.request))

    @extend_schema(
        summary="Upload a benchmark run",
        description=(
            "One `bench-run` 1.x document. The run id is the key: the same run again is answered "
            "with 200 and `Idempotent-Replay: true`, other content under the same id with 409. "
            "An answer of 2xx is given only after the run is committed."
        ),
        parameters=[
            _header("Idempotency-Key", "The run id; must equal it when given."),
            _header("Content-Digest", "RFC 9530, `sha-256=:…:` over the body as sent."),
            _header("Content-Encoding", "`gzip`, or nothing."),
        ],
        request={"application/json": OpenApiTypes.OBJECT},
        responses={
            200: UploadAnswerSerializer,
            201: UploadAnswerSerializer,
            400: _refusal("malformed_json, malformed_gzip, digest_mismatch."),
            401: _refusal("no usable token."),
            403: _refusal("the token is revoked, expired or may not upload."),
            409: _refusal("idempotency_conflict."),
            413: _refusal("too_large."),
            415: _refusal("unsupported_media_type, unsupported_content_encoding."),
            422: _refusal(
                "invalid_document with pointers, schema_unsupported with `supported`, "
                "content_digest_mismatch, idempotency_key_mismatch, signature_required."
            ),
        },
    )
    def post(self, request: Request) -> Response:
        """Check and store one document."""
        try:
            recorded = _record(request)
        except UploadRefused as refused:
            raise UploadProblem(refused) from None
        run = recorded.run
        page = reverse("hardware_catalog:run_detail", args=[run.run_id])
        answer = UploadAnswerSerializer(
            {
                "run_id": run.run_id,
                "url": request.build_absolute_uri(page),
                "verdict": run.verdict,
                "flags": run.flags,
            }
        )
        if recorded.created:
            return Response(answer.data, status=201)
        return Response(answer.data, status=200, headers={"Idempotent-Replay": "true"})


def _record(request: Request) -> Recorded:
    """Take the upload through its doors in order, store it, and wake the refresh."""
    organisation = _organisation(request)
    coding = check_media(
        request.headers.get("Content-Type", ""), request.headers.get("Content-Encoding", "")
    )
    body = _body(request, coding)
    check_digest(request.headers.get("Content-Digest", ""), body)
    raw = inflate(body, settings.BENCHMARK_MAX_BYTES) if coding == "gzip" else body
    document = read_document(raw)
    key = request.headers.get("Idempotency-Key")
    if key is not None and key.strip().lower() != document["run_id"]:
        raise UploadRefused(
            422,
            "idempotency_key_mismatch",
            "The Idempotency-Key is not the run id of the document.",
            [{"pointer": "/run_id", "code": "mismatch", "message": "It differs from the header."}],
        )
    token = request.auth if isinstance(request.auth, ApiToken) else None
    recorded = benchmark_run_record(
        organisation=organisation, token=token, raw=raw, document=document
    )
    waiting = recorded.run.devices.filter(needs_refresh=True).exclude(entry=None)
    entry_ids = sorted({int(pk) for pk in waiting.values_list("entry_id", flat=True)})
    transaction.on_commit(lambda: wake(entry_ids))
    return recorded


def _body(request: Request, coding: str) -> bytes:
    """Read the body, after its stated length was found small enough."""
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    check_size(length, coding, settings.BENCHMARK_MAX_BYTES)
    try:
        body: bytes = request._request.body
    except RequestDataTooBig:
        raise UploadRefused(413, "too_large", "The body is too large.") from None
    except UnreadablePostError:
        raise UploadRefused(400, "body_cut_off", "The body ended before its length.") from None
    check_size(len(body), coding, settings.BENCHMARK_MAX_BYTES)
    return body


class BenchmarkRunDetail(generics.RetrieveAPIView[BenchmarkRun]):
    """One run with its measurements."""

    serializer_class = RunDetailSerializer
    lookup_field = "run_id"
    queryset = BenchmarkRun.objects.none()
    filter_backends: Sequence[Any] = ()

    def get_queryset(self) -> QuerySet[BenchmarkRun]:
        """Runs of the caller's organisation."""
        return run_detail(organisation=_organisation(self.request))


class ThroughputFigureList(generics.ListAPIView[ThroughputFigure]):
    """Measured rates of devices; superseded ones with `?current=false`."""

    serializer_class = ThroughputFigureSerializer
    filterset_class = FigureFilter
    queryset = ThroughputFigure.objects.none()

    def get_queryset(self) -> QuerySet[ThroughputFigure]:
        """Figures of the caller's organisation."""
        every = "current" in self.request.query_params
        return throughput_figures(organisation=_organisation(self.request), current=not every)
