"""One error type and the exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process returns; docs/reference/agent.md lists the same table."""

    OK = 0
    USAGE = 2
    NO_TORCH = 3
    NOTHING_MEASURED = 4
    NOT_UPLOADED = 5
    REJECTED = 6
    TOKEN = 7
    STATE = 8
    INTERRUPTED = 130


class AgentError(Exception):
    """A failure the operator can act on: one line of text and an exit code."""

    def __init__(self, message: str, exit_code: ExitCode) -> None:
        super().__init__(message)
        self.exit_code = exit_code
