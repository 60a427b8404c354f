"""How often one may try to sign in: counted in the database, so that all processes agree."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import SignInAttempt
from accounts.token_secrets import secret_hash

WINDOW = timedelta(hours=1)
PER_ACCOUNT = 10
PER_ADDRESS = 20


def client_address(request: HttpRequest) -> str:
    """Return the address of the client.

    X-Forwarded-For is believed only as far as NUM_PROXIES proxies stand in front: a client can
    write anything further left.
    """
    remote = str(request.META.get("REMOTE_ADDR", ""))
    proxies = int(str(settings.REST_FRAMEWORK.get("NUM_PROXIES") or 0))
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    hops = [part.strip() for part in forwarded.split(",")]
    hops = [hop for hop in hops if hop]
    if proxies == 0 or not hops:
        return remote
    return hops[-min(proxies, len(hops))]


def _recent(key: str) -> QuerySet[SignInAttempt]:
    since = timezone.now() - WINDOW
    return SignInAttempt.objects.filter(key_hash=secret_hash(key), tried_at__gt=since)


def _keys(email: str, address: str) -> list[tuple[str, int]]:
    return [
        (f"account {email.strip().lower()}", PER_ACCOUNT),
        (f"address {address}", PER_ADDRESS),
    ]


def attempt_allowed(*, email: str, address: str) -> bool:
    """Count an attempt; False once the account or the address has had its share of the hour.

    The attempt is stored before it is counted, so that attempts at the same moment cannot all
    see room for one more.
    """
    SignInAttempt.objects.filter(tried_at__lte=timezone.now() - WINDOW).delete()
    allowed = True
    for key, most in _keys(email, address):
        SignInAttempt.objects.create(key_hash=secret_hash(key))
        allowed = _recent(key).count() <= most and allowed
    return allowed


def attempts_forget(*, email: str, address: str) -> None:
    """Forget the attempts of an account that signed in, and one attempt of its address."""
    (account, _), (place, _) = _keys(email, address)
    _recent(account).delete()
    last = _recent(place).order_by("-tried_at").first()
    if last is not None:
        last.delete()
