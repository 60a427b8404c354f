"""Errors that name the field, the value and the mend."""

from __future__ import annotations


class InputError(ValueError):
    """An input that cannot be used.

    Parameters
    ----------
    field
        Path of the field as the user wrote it, e.g. ``sites[0].pue``.
    message
        What is wrong, with the value.
    mend
        What to do about it.

    Examples
    --------
    >>> str(InputError("sites[0].pue", "0.7 is below 1", "enter 1 or more"))
    'sites[0].pue: 0.7 is below 1; enter 1 or more'
    """

    def __init__(self, field: str, message: str, mend: str = "") -> None:
        self.field = field
        self.message = message
        self.mend = mend
        super().__init__(f"{field}: {message}" + (f"; {mend}" if mend else ""))


class InputErrors(ValueError):
    """All errors found at once, so that nobody mends them one by one."""

    def __init__(self, errors: tuple[InputError, ...]) -> None:
        self.errors = errors
        super().__init__("\n".join(str(error) for error in errors))
