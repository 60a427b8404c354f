"""Forms of sign-in and tokens."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.utils import timezone

from accounts.models import Scope


class SignInForm(forms.Form):
    """E-mail address and password."""

    email = forms.EmailField(
        label="E-mail address",
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class TokenForm(forms.Form):
    """What a new token is for, what it may do, how long it lives."""

    EXPIRIES = [("30", "30 days"), ("90", "90 days"), ("365", "1 year"), ("", "Never")]

    label = forms.CharField(
        label="Used by",
        max_length=100,
        help_text="The machine or program that will hold the token, for example “rack 12”.",
    )
    scope = forms.ChoiceField(
        label="May do",
        choices=Scope.choices,
        initial=Scope.UPLOAD,
        help_text="A token that uploads can read nothing.",
    )
    days = forms.ChoiceField(label="Expires after", choices=EXPIRIES, initial="365", required=False)

    def expires_at(self) -> datetime | None:
        """Return the chosen expiry, None for never."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=int(days)) if days else None
