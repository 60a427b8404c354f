"""What a replica can never serve, refused before a run (P6.1)."""

from __future__ import annotations

import math

from tco.errors import InputError
from tco.simulate.requests import Requests
from tco.simulate.step_table import StepTable


def check_servable(
    table: StepTable,
    requests: Requests,
    chunked: bool,
    concurrency: int | None,
    think_s: float,
    *,
    host_copy_s_per_token: float | None = None,
) -> None:
    """Refuse what can never be served.

    Raises
    ------
    InputError
        Names the field, the value and the mend.
    """
    copy_s = host_copy_s_per_token
    if copy_s is not None and not 0 <= copy_s < math.inf:
        said = f"{copy_s:g} s is below 0"
        raise InputError("host_copy_s_per_token", said, "enter 0 or more seconds")
    if not 0 <= think_s < math.inf or (think_s and concurrency is None):
        mend = "enter 0 or more seconds, with the concurrency of a closed loop"
        raise InputError("think_s", f"{think_s:g} s cannot be waited", mend)
    if concurrency is not None and concurrency < 1:
        raise InputError("concurrency", f"{concurrency} is below 1", "let at least one request in")
    longest = max(requests.input_tokens, default=1)
    if not chunked and longest > table.max_batched_tokens:
        raise InputError(
            "max_batched_tokens",
            f"{table.max_batched_tokens:,} is below a prompt of {longest:,} tokens",
            "allow chunked prefill or raise the limit",
        )
    pairs = zip(requests.input_tokens, requests.output_tokens, strict=True)
    held = max((a + b for a, b in pairs), default=1)
    block = table.block_tokens
    # whole blocks count: a room of 200 tokens in blocks of 16 has no place for 195
    if math.isfinite(table.kv_tokens) and -(-held // block) > table.kv_tokens // block:
        raise InputError(
            "kv_tokens",
            f"room for {table.kv_tokens:,.0f} tokens in blocks of {block} is below a request of "
            f"{held:,}",
            "shorten the context, or use more or larger devices",
        )
