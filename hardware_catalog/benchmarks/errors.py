"""What can be wrong with an upload, each with the status and the code that the client gets."""

from __future__ import annotations

from typing import Any


class UploadRefused(Exception):
    """An upload that is not stored.

    Parameters
    ----------
    status
        HTTP status: 400, 409, 413, 415 or 422.
    code
        Stable code of the problem document.
    detail
        What is wrong, in a sentence.
    errors
        One entry per fault, each with `pointer` (RFC 6901), `code` and `message`.
    more
        Further members of the problem document.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: list[dict[str, str]] | None = None,
        **more: Any,
    ) -> None:
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors or []
        self.more = more
        super().__init__(detail)
