"""Tokens: made once, kept hashed, limited to their scope, revoked at once."""

from __future__ import annotations

import hashlib
import io
import re
import stat
from datetime import timedelta

import pytest
from django.core import serializers
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiToken, Scope
from accounts.services import token_create, token_revoke

RUNS = "/api/v1/benchmark-runs/"
TOKENS = reverse("accounts:tokens")


def _get(client, text, path=RUNS):
    return client.get(path, HTTP_AUTHORIZATION=f"Bearer {text}")


@pytest.fixture
def made(demo_organisation, ada):
    """A token that reads, and its text."""
    return token_create(organisation=demo_organisation, label="reader", scope="read", by=ada)


def test_form_of_a_token(made):
    """12 hex characters find it, 43 characters of 256 random bits prove it."""
    token, text = made
    assert re.fullmatch(r"tco_[0-9a-f]{12}_[A-Za-z0-9_-]{43}", text)
    assert text.startswith(f"tco_{token.key_id}_")


def test_no_secret_in_the_database(made):
    """A dump holds neither the secret nor its plain hash, only one keyed with the pepper."""
    _, text = made
    secret = text.split("_", 2)[2]
    dump = serializers.serialize("json", ApiToken.objects.all())
    assert secret not in dump
    assert hashlib.sha256(secret.encode()).hexdigest() not in dump
    assert "reader" in dump


def test_token_reads_and_its_use_is_noted(client, made):
    """The right text is let in, and the time of its last use is kept."""
    token, text = made
    assert _get(client, text).status_code == 200
    token.refresh_from_db()
    assert timezone.now() - token.last_used_at < timedelta(minutes=1)


@pytest.mark.parametrize("spoil", ["x", "tco_000000000000_", "tco_short", "", "tco_a_b c"])
def test_unknown_token_is_401(client, made, spoil):
    """Anything else is 401 with a challenge, as a problem document."""
    text = spoil + made[1] if spoil != "" else made[1][:-1]
    answer = _get(client, text)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == 'Bearer realm="api"'
    assert answer["Content-Type"].startswith("application/problem+json")


def test_revoked_token_is_403_at_once(client, made):
    """The next request after revoking is refused; revoking again changes nothing."""
    token, text = made
    assert _get(client, text).status_code == 200
    revoked_at = token_revoke(token=token).revoked_at
    assert _get(client, text).status_code == 403
    assert token_revoke(token=token).revoked_at == revoked_at


def test_expired_token_is_403(client, made):
    """An expired token is refused."""
    _, text = made
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert _get(client, text).status_code == 403


def test_upload_token_can_read_nothing(client, demo_organisation):
    """Every address of the API refuses an upload token that asks to read."""
    _, text = token_create(organisation=demo_organisation, label="agent", by=None)
    addresses = [
        reverse("api_benchmark_runs"),
        reverse("api_throughput_figures"),
        reverse("api_benchmark_run", args=["01937c2e-8a7b-7cc1-9f7e-4f1f0b1c2d3e"]),
    ]
    assert [_get(client, text, address).status_code for address in addresses] == [403, 403, 403]


def test_read_token_cannot_upload(client, made):
    """Reading does not include writing."""
    answer = client.post(
        RUNS, b"{}", content_type="application/json", HTTP_AUTHORIZATION=f"Bearer {made[1]}"
    )
    assert answer.status_code == 403


def test_bad_tokens_are_not_made(demo_organisation):
    """An empty label, an unknown scope and a past expiry are refused."""
    for wrong in (
        {"label": " "},
        {"scope": "root"},
        {"expires_at": timezone.now() - timedelta(days=1)},
    ):
        with pytest.raises(ValidationError):
            token_create(organisation=demo_organisation, **{"label": "x", "by": None, **wrong})
    assert not ApiToken.objects.exists()


def test_page_shows_a_token_once(ada_client):
    """The text stands on the answer to making it, and nowhere afterwards."""
    page = ada_client.post(
        reverse("accounts:token_new"), {"label": "rack 12", "scope": "upload", "days": "30"}
    )
    assert page.status_code == 201
    assert page["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    text = re.search(r"tco_[0-9a-f]{12}_[\w-]{43}", page.content.decode())[0]
    assert "tco-agent.pyz run --profile quick" in page.content.decode()
    later = ada_client.get(TOKENS).content.decode()
    assert "rack 12" in later
    assert text.split("_", 2)[2] not in later
    token = ApiToken.objects.get()
    assert token.scope == Scope.UPLOAD
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)


def test_token_of_the_page_works(ada_client, client):
    """What the page shows is let in."""
    page = ada_client.post(
        reverse("accounts:token_new"), {"label": "x", "scope": "read", "days": ""}
    )
    text = re.search(r"tco_[0-9a-f]{12}_[\w-]{43}", page.content.decode())[0]
    assert _get(Client(), text).status_code == 200
    assert ApiToken.objects.get().expires_at is None


def test_wrong_form_keeps_what_was_typed(ada_client):
    """An error stands beside its field, and nothing is made."""
    answer = ada_client.post(
        reverse("accounts:token_new"), {"label": "", "scope": "upload", "days": "30"}
    )
    assert answer.status_code == 422
    assert "This field is required." in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_page_revokes(ada_client, made):
    """The button revokes, and the list says so."""
    token, text = made
    answer = ada_client.post(reverse("accounts:token_revoke", args=[token.key_id]), follow=True)
    assert "Revoked" in answer.content.decode()
    assert _get(Client(), text).status_code == 403


def test_tokens_of_others_are_not_there(eve_client, made):
    """Another organisation neither sees a token nor can revoke it."""
    token, _ = made
    assert "reader" not in eve_client.get(TOKENS).content.decode()
    answer = eve_client.post(reverse("accounts:token_revoke", args=[token.key_id]))
    assert answer.status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None


def test_finance_reads_only(client, fin, made):
    """Finance sees the tokens and can neither make nor revoke one."""
    client.force_login(fin)
    page = client.get(TOKENS)
    assert page.status_code == 200
    assert "Make token" not in page.content.decode()
    form = {"label": "x", "scope": "upload", "days": "30"}
    assert client.post(reverse("accounts:token_new"), form).status_code == 403
    revoke = reverse("accounts:token_revoke", args=[made[0].key_id])
    assert client.post(revoke).status_code == 403
    assert ApiToken.objects.filter(revoked_at=None).count() == 1


def test_command_writes_a_private_file(client, demo_organisation, tmp_path):
    """The token goes into a file of mode 0600, never to the terminal; a file there is replaced."""
    path = tmp_path / "deep" / "token"
    for _ in range(2):
        out = io.StringIO()
        call_command(
            "token_create",
            organisation="Demo Ltd",
            label="demo agent",
            file=path,
            scope="read",
            stdout=out,
        )
        text = path.read_text().strip()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert text not in out.getvalue()
        assert _get(client, text).status_code == 200
    assert [entry.name for entry in path.parent.iterdir()] == ["token"]


def test_command_names_a_missing_organisation(db, tmp_path):
    """Nothing is written for an organisation that is not there."""
    with pytest.raises(CommandError, match="no organisation"):
        call_command("token_create", organisation="No", label="x", file=tmp_path / "t")
    assert not (tmp_path / "t").exists()
