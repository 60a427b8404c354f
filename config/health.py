"""`/healthz`: is the database there, is the broker there?"""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_GET


@require_GET
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database answers; the broker is reported, not required."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("select 1")
        database = "ok"
    except DatabaseError:
        database = "down"
    broker = "unset"
    if settings.CELERY_BROKER_URL:
        import redis

        try:
            redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=1).ping()
            broker = "ok"
        except redis.exceptions.RedisError:
            broker = "down"
    status = 200 if database == "ok" else 503
    return JsonResponse({"database": database, "broker": broker}, status=status)
