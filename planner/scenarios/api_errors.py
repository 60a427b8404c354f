"""Answers of the API to a save that comes too late or says too little."""

from __future__ import annotations

from rest_framework import exceptions

from planner.scenarios.errors import StaleRevision


class StaleProblem(exceptions.APIException):
    """412: somebody saved in between; the body says what they changed."""

    status_code = 412

    def __init__(self, stale: StaleRevision) -> None:
        self.errors = [
            {"field": change.path, "message": f"was {change.old!r}, is now {change.new!r}"}
            for change in stale.changes
        ]
        self.more = {
            "base_revision": stale.base_number,
            "current_revision": stale.current_number,
        }
        super().__init__(str(stale), "stale_revision")


class PreconditionRequired(exceptions.APIException):
    """428: an update must say which revision it starts from."""

    status_code = 428
    default_code = "precondition_required"
    default_detail = "Send If-Match with the ETag of the revision that you changed."
