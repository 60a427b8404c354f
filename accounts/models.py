"""People, organisations, memberships, tokens and one-time sign-in links."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone


class UserManager(BaseUserManager["User"]):
    """Creates users by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: object) -> User:
        """Create a person; without a password only a one-time link signs in."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.full_clean(exclude=["password"])
        user.save()
        return user


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by e-mail address."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=100, blank=True)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    def __str__(self) -> str:
        return self.name or self.email


class Organisation(models.Model):
    """The wall between tenants: every scenario, run and own catalog entry belongs to one."""

    name = models.CharField(max_length=100, unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What a member may do."""

    ADMIN = "admin", "Administrator"
    ARCHITECT = "architect", "Architect"
    FINANCE = "finance", "Finance"
    VIEWER = "viewer", "Viewer"


class Membership(models.Model):
    """A person in an organisation."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.ARCHITECT)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "organisation"], name="one_membership_each"),
            models.CheckConstraint(
                condition=models.Q(role__in=[str(value) for value in Role.values]),
                name="membership_role_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.organisation}"


class Scope(models.TextChoices):
    """What a token may do."""

    UPLOAD = "upload", "Upload benchmark runs"
    READ = "read", "Read through the API"
    WRITE = "write", "Read and write through the API"


class ApiToken(models.Model):
    """A token, kept only as a keyed hash; shown once when made."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="api_tokens"
    )
    created_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="api_tokens"
    )
    label = models.CharField(max_length=100)
    key_id = models.CharField(max_length=12, unique=True)
    secret_hash = models.CharField(max_length=64)
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.UPLOAD)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.label

    @property
    def usable(self) -> bool:
        """True while neither revoked nor expired."""
        return self.revoked_at is None and (
            self.expires_at is None or self.expires_at > timezone.now()
        )


class SignInLink(models.Model):
    """A one-time sign-in link, kept only as a hash."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_in_links")
    secret_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link of {self.user}"


class SignInAttempt(models.Model):
    """One try to sign in, counted under the hash of the account or of the address."""

    key_hash = models.CharField(max_length=64)
    tried_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["key_hash", "tried_at"], name="attempt_key_time")]

    def __str__(self) -> str:
        return f"attempt at {self.tried_at:%Y-%m-%d %H:%M}"
