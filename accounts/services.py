"""Writing accounts: people, sign-in links, tokens."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import ApiToken, Membership, Organisation, Role, Scope, SignInLink, User
from accounts.token_secrets import new_key_id, new_secret, secret_hash, token_text

LINK_MINUTES = 15


@transaction.atomic
def person_create(*, email: str, organisation_name: str, role: str = Role.ADMIN) -> User:
    """Return the person of this address, made if new, as a member of the organisation.

    The organisation is made if new. A person made here has no password: only a one-time link
    signs in. Raises ValidationError for an unusable address or name.
    """
    address = User.objects.normalize_email(email).lower()
    user = User.objects.filter(email=address).first() or User.objects.create_user(address)
    organisation = Organisation.objects.filter(name=organisation_name).first()
    if organisation is None:
        organisation = Organisation(name=organisation_name)
        organisation.full_clean()
        organisation.save()
    Membership.objects.get_or_create(
        user=user, organisation=organisation, defaults={"role": Role(role)}
    )
    return user


def sign_in_link_create(*, user: User, minutes: float = LINK_MINUTES) -> tuple[SignInLink, str]:
    """Return a link row and its secret, which works once within `minutes`."""
    if not 0 < minutes <= 24 * 60:
        raise ValidationError(f"{minutes:g} minutes cannot be used: give more than 0, up to 1440.")
    secret = new_secret()
    link = SignInLink.objects.create(
        user=user,
        secret_hash=secret_hash(secret),
        expires_at=timezone.now() + timedelta(minutes=minutes),
    )
    return link, secret


def sign_in_link_usable(*, secret: str) -> bool:
    """Tell whether a link would sign in, without using it up."""
    return SignInLink.objects.filter(
        secret_hash=secret_hash(secret),
        used_at=None,
        expires_at__gt=timezone.now(),
        user__is_active=True,
    ).exists()


def sign_in_link_use(*, secret: str) -> User | None:
    """Use a link up and return its person; None when used, expired or unknown.

    One conditional UPDATE decides, so that of two simultaneous uses exactly one wins. It must not
    join: a condition in a subquery is not looked at again after waiting for the rival.
    """
    now = timezone.now()
    hashed = secret_hash(secret)
    fresh = SignInLink.objects.filter(secret_hash=hashed, used_at=None, expires_at__gt=now)
    if fresh.update(used_at=now) != 1:
        return None
    user = SignInLink.objects.select_related("user").get(secret_hash=hashed).user
    return user if user.is_active else None


def token_create(
    *,
    organisation: Organisation,
    label: str,
    scope: str = Scope.UPLOAD,
    by: User | None,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Return a token row and its plain text, which is kept nowhere.

    Raises ValidationError for an empty label, an unknown scope or an expiry in the past.
    """
    if expires_at is not None and expires_at <= timezone.now():
        raise ValidationError({"expires_at": "The expiry is in the past."})
    secret = new_secret()
    token = ApiToken(
        organisation=organisation,
        created_by=by,
        label=label.strip(),
        key_id=new_key_id(),
        secret_hash=secret_hash(secret),
        scope=scope,
        expires_at=expires_at,
    )
    token.full_clean(exclude=["created_by"] if by is None else None)  # None: made by a command
    token.save()
    return token, token_text(token.key_id, secret)


def token_revoke(*, token: ApiToken) -> ApiToken:
    """Revoke a token at once; a second time changes nothing."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    token.refresh_from_db()
    return token
