"""Signing in and out, and the tokens of an organisation."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.forms import SignInForm, TokenForm
from accounts.models import Organisation, User
from accounts.rate_limit import attempt_allowed, attempts_forget, client_address
from accounts.selectors import may_write, organisation_of, token_list
from accounts.services import (
    sign_in_link_usable,
    sign_in_link_use,
    token_create,
    token_revoke,
)

REFUSED = "The address and the password do not fit together."
TOO_MANY = "Too many tries: wait an hour, or ask for a one-time link."
NEXT = "sign_in_next"
BACKEND = "django.contrib.auth.backends.ModelBackend"


def _target(request: HttpRequest) -> str:
    """Return where to go after signing in: `next` if it is on this site."""
    kept = request.session.pop(NEXT, "")
    wanted = request.POST.get("next") or request.GET.get("next") or kept
    if url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return wanted
    return resolve_url(settings.LOGIN_REDIRECT_URL)


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in by e-mail address and password; one answer to every wrong pair."""
    if request.user.is_authenticated:
        return redirect(_target(request))
    form = SignInForm(request.POST or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            email, password = form.cleaned_data["email"], form.cleaned_data["password"]
            address = client_address(request)
            if not attempt_allowed(email=email, address=address):
                status = 429
                form.add_error(None, TOO_MANY)
            elif user := authenticate(request, username=email.lower(), password=password):
                attempts_forget(email=email, address=address)
                login(request, user)
                return redirect(_target(request))
            else:
                form.add_error(None, REFUSED)
    target = request.POST.get("next") or request.GET.get("next") or ""
    if target:
        request.session[NEXT] = target  # a one-time link leads on to it too
    page = {"form": form, "next": target}
    return render(request, "accounts/sign_in.html", page, status=status)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Sign out."""
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)


@never_cache
@require_http_methods(["GET", "POST"])
def sign_in_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Show a button on GET, so that a link preview does not use the link up; sign in on POST."""
    if request.method == "GET":
        usable = sign_in_link_usable(secret=secret)
        status = 200 if usable else 410
        return render(request, "accounts/sign_in_link.html", {"usable": usable}, status=status)
    user = sign_in_link_use(secret=secret)
    if user is None:
        return render(request, "accounts/sign_in_link.html", {"usable": False}, status=410)
    login(request, user, backend=BACKEND)
    return redirect(_target(request))


def _place(request: HttpRequest) -> tuple[User, Organisation | None]:
    """Return the signed-in person and their organisation."""
    assert isinstance(request.user, User)
    return request.user, organisation_of(request.user)


def _tokens_page(
    request: HttpRequest, organisation: Organisation, form: TokenForm, status: int = 200
) -> HttpResponse:
    page = {
        "tokens": token_list(organisation=organisation),
        "organisation": organisation,
        "form": form,
        "may_write": may_write(request.user),
    }
    return render(request, "accounts/tokens.html", page, status=status)


@never_cache
@login_required
@require_GET
def tokens(request: HttpRequest) -> HttpResponse:
    """List the tokens of the organisation."""
    _, organisation = _place(request)
    if organisation is None:
        return render(request, "accounts/no_organisation.html", status=403)
    return _tokens_page(request, organisation, TokenForm())


@never_cache
@login_required
@require_POST
def token_new(request: HttpRequest) -> HttpResponse:
    """Make a token and show it once."""
    user, organisation = _place(request)
    if organisation is None:
        return render(request, "accounts/no_organisation.html", status=403)
    if not may_write(user):
        raise PermissionDenied
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _tokens_page(request, organisation, form, status=422)
    token, text = token_create(
        organisation=organisation,
        label=form.cleaned_data["label"],
        scope=form.cleaned_data["scope"],
        by=user,
        expires_at=form.expires_at(),
    )
    page = {"token": token, "text": text, "site": request.build_absolute_uri("/").rstrip("/")}
    return render(request, "accounts/token_created.html", page, status=201)


@login_required
@require_POST
def token_end(request: HttpRequest, key_id: str) -> HttpResponse:
    """Revoke a token at once."""
    user, organisation = _place(request)
    if organisation is None:
        return render(request, "accounts/no_organisation.html", status=403)
    token = get_object_or_404(token_list(organisation=organisation), key_id=key_id)
    if not may_write(user):
        raise PermissionDenied
    token_revoke(token=token)
    messages.success(request, f"The token of “{token.label}” is revoked.")
    return redirect("accounts:tokens")
