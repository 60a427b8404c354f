"""Signing in by password and by one-time link, and how often one may try."""

from __future__ import annotations

import io
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Membership, Organisation, SignInAttempt, SignInLink, User
from accounts.rate_limit import PER_ACCOUNT, PER_ADDRESS
from accounts.services import sign_in_link_create, sign_in_link_use

PASSWORD = "correct horse battery staple"
SIGN_IN = reverse("accounts:sign_in")


def _try(client, email="ada@example.org", password=PASSWORD, **more):
    return client.post(SIGN_IN, {"email": email, "password": password}, **more)


def _signed_in(client):
    return "_auth_user_id" in client.session


def test_right_password_signs_in(client, ada):
    """The right pair leads to the home page, whatever the case of the address."""
    answer = _try(client, email="ADA@example.org")
    assert answer.status_code == 302
    assert answer["Location"] == reverse("planner:home")
    assert _signed_in(client)


def test_one_answer_to_every_wrong_pair(client, ada):
    """A wrong password and an unknown address cannot be told apart."""
    wrong = _try(client, password="wrong")
    unknown = _try(client, email="nobody@example.org")
    assert wrong.status_code == unknown.status_code == 422
    message = "The address and the password do not fit together."
    assert message in wrong.content.decode()
    assert message in unknown.content.decode()
    assert not _signed_in(client)


def test_eleventh_try_for_an_account_is_refused(client, ada):
    """After ten wrong tries in an hour even the right password waits, from any address."""
    for number in range(PER_ACCOUNT):
        assert _try(client, password="wrong", REMOTE_ADDR=f"10.0.0.{number}").status_code == 422
    refused = _try(client, REMOTE_ADDR="10.0.1.1")
    assert refused.status_code == 429
    assert "wait an hour" in refused.content.decode()
    assert not _signed_in(client)


def test_twenty_first_try_of_an_address_is_refused(client, ada):
    """One address cannot walk through accounts; a made-up X-Forwarded-For does not help it."""
    for number in range(PER_ADDRESS):
        answer = _try(
            client, email=f"p{number}@example.org", HTTP_X_FORWARDED_FOR=f"192.0.2.{number}"
        )
        assert answer.status_code == 422
    assert _try(client).status_code == 429
    assert _try(client, REMOTE_ADDR="10.0.0.9").status_code == 302


def test_forwarded_address_counts_behind_a_known_proxy(client, ada, settings):
    """With one proxy in front its last entry is the client; what stands left of it is not."""
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    for number in range(PER_ADDRESS):
        _try(
            client,
            email=f"p{number}@example.org",
            HTTP_X_FORWARDED_FOR=f"198.51.100.{number}, 192.0.2.1",
        )
    assert _try(client, HTTP_X_FORWARDED_FOR="198.51.100.99, 192.0.2.1").status_code == 429
    assert _try(client, HTTP_X_FORWARDED_FOR="192.0.2.2").status_code == 302


def test_tries_are_forgotten_after_an_hour_and_after_success(client, ada):
    """Old tries do not count, and who signs in starts afresh."""
    for _ in range(PER_ACCOUNT):
        _try(client, password="wrong")
    SignInAttempt.objects.update(tried_at=timezone.now() - timedelta(minutes=61))
    assert _try(client).status_code == 302
    client.logout()
    for _ in range(PER_ACCOUNT):
        assert _try(client, password="wrong").status_code == 422


def test_attempts_hold_no_address(client, ada):
    """Attempts are counted under keyed hashes only."""
    _try(client, password="wrong")
    rows = str(list(SignInAttempt.objects.values()))
    assert "ada@example.org" not in rows
    assert "127.0.0.1" not in rows


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:1"])
def test_next_stays_on_this_site(client, ada, target):
    """Signing in never leads to another host."""
    answer = client.post(SIGN_IN, {"email": ada.email, "password": PASSWORD, "next": target})
    assert answer["Location"] == reverse("planner:home")


def test_next_is_followed_on_this_site(client, ada):
    """The page that asked for signing in comes next."""
    answer = client.get(reverse("accounts:tokens"))
    assert answer["Location"] == f"{SIGN_IN}?next=/accounts/tokens/"
    answer = client.post(
        SIGN_IN, {"email": ada.email, "password": PASSWORD, "next": "/accounts/tokens/"}
    )
    assert answer["Location"] == "/accounts/tokens/"


def test_sign_out_takes_a_post(ada_client):
    """A link or an image cannot sign anybody out."""
    assert ada_client.get(reverse("accounts:sign_out")).status_code == 405
    assert _signed_in(ada_client)
    assert ada_client.post(reverse("accounts:sign_out")).status_code == 302
    assert not _signed_in(ada_client)


def test_forms_need_the_csrf_token(ada):
    """Without the token of the form nothing is done."""
    client = Client(enforce_csrf_checks=True)
    assert _try(client).status_code == 403


def test_there_is_no_default_account(db):
    """A fresh database has nobody in it."""
    assert not User.objects.exists()


def test_link_signs_in_once(client, ada):
    """GET shows a button and uses nothing up; the first POST signs in, the second does not."""
    _, secret = sign_in_link_create(user=ada)
    href = reverse("accounts:sign_in_link", args=[secret])
    for _ in range(2):
        shown = client.get(href)
        assert shown.status_code == 200
        assert '<button class="btn btn-primary" type="submit"' in shown.content.decode()
        assert shown["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert not _signed_in(client)
    assert client.post(href).status_code == 302
    assert _signed_in(client)
    second = Client()
    assert second.post(href).status_code == 410
    assert second.get(href).status_code == 410
    assert not _signed_in(second)


def test_link_expires(client, ada):
    """After its minutes a link is dead."""
    link, secret = sign_in_link_create(user=ada, minutes=5)
    assert timedelta(minutes=4) < link.expires_at - timezone.now() <= timedelta(minutes=5)
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.post(reverse("accounts:sign_in_link", args=[secret])).status_code == 410
    assert sign_in_link_use(secret=secret) is None


def test_link_of_a_closed_account_is_dead(ada):
    """Who is no longer active does not get in by an old link."""
    _, secret = sign_in_link_create(user=ada)
    User.objects.update(is_active=False)
    assert sign_in_link_use(secret=secret) is None


def test_link_is_kept_as_a_hash(ada):
    """The database does not hold what the link says."""
    _, secret = sign_in_link_create(user=ada)
    assert len(secret) == 43
    assert secret not in str(list(SignInLink.objects.values()))


@pytest.mark.django_db(transaction=True)
def test_two_at_once_use_a_link_once():
    """Of simultaneous uses exactly one wins."""
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connection

    user = User.objects.create_user("race@example.org")

    def use(_):
        try:
            return sign_in_link_use(secret=secret)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            _, secret = sign_in_link_create(user=user)
            won = [found for found in pool.map(use, range(8)) if found is not None]
            assert won == [user]


def test_command_prints_a_path_that_signs_in(client, db):
    """`--create` makes person and organisation; the printed path works."""
    out = io.StringIO()
    call_command(
        "sign_in_link", "New@Example.org", "--create", "--organisation", "New Ltd", stdout=out
    )
    href = out.getvalue().strip()
    assert re.fullmatch(r"/accounts/link/[\w-]{43}/", href)
    assert client.post(href).status_code == 302
    member = Membership.objects.get(user__email="new@example.org")
    assert (member.organisation.name, member.role) == ("New Ltd", "admin")
    assert not member.user.has_usable_password()


def test_command_joins_people_and_organisations_that_exist(ada, demo_organisation):
    """A second `--create` makes neither a second person nor a second organisation."""
    for _ in range(2):
        call_command(
            "sign_in_link",
            "ada@example.org",
            "--create",
            "--organisation",
            "Demo Ltd",
            stdout=io.StringIO(),
        )
    assert User.objects.count() == Organisation.objects.count() == 1
    assert Membership.objects.get(user=ada).role == "architect"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody@example.org"], "Nobody has the address"),
        (["new@example.org", "--create"], "--organisation"),
        (["no-address", "--create", "--organisation", "X"], "valid email"),
        (["ada@example.org", "--minutes", "0"], "more than 0"),
    ],
)
def test_command_says_what_is_wrong(ada, arguments, words):
    """One clear line for each mistake, and nobody is made."""
    with pytest.raises(CommandError, match=words):
        call_command("sign_in_link", *arguments, stdout=io.StringIO())
    assert User.objects.count() == 1


def test_person_without_organisation_gets_a_clear_page(client, db):
    """Signed in, but a member of nothing: the page says how to join."""
    client.force_login(User.objects.create_user("lone@example.org"))
    for name in ("accounts:tokens", "hardware_catalog:run_list"):
        answer = client.get(reverse(name))
        assert answer.status_code == 403
        assert "You belong to no organisation yet" in answer.content.decode()
