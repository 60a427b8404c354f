"""The agent's token: from a file, the environment or standard input, never from the arguments."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from tco_agent.errors import AgentError, ExitCode

TOKEN_VARIABLE = "TCO_AGENT_TOKEN"
MOST_BYTES = 512


def read_token(token_file: Path | None, *, from_stdin: bool) -> str:
    """The token; AgentError with exit code 7 when there is none or it cannot be one."""
    if from_stdin:
        text = sys.stdin.readline(MOST_BYTES)
        source = "standard input"
    elif token_file is not None:
        source = str(token_file)
        try:
            with token_file.open(encoding="utf-8") as stream:
                text = stream.read(MOST_BYTES)
        except (OSError, UnicodeDecodeError) as error:
            raise AgentError(
                f"cannot read the token file {source}: {error}", ExitCode.TOKEN
            ) from None
    else:
        text = os.environ.get(TOKEN_VARIABLE, "")
        source = TOKEN_VARIABLE
    token = text.strip()
    if not token:
        raise AgentError(
            f"no token in {source}: create one on the site's token page and give it by "
            f"--token-file, --token-stdin or the variable {TOKEN_VARIABLE}",
            ExitCode.TOKEN,
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise AgentError(f"the text in {source} is not a token", ExitCode.TOKEN)
    return token


def others_can_read(token_file: Path) -> bool:
    """True when the token file is open to other users of the machine."""
    return bool(token_file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
