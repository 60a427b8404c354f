"""Speculative decoding: a draft proposes, the model checks several tokens a step (P6.6)."""

from __future__ import annotations

import dataclasses

import numpy as np

from tco.errors import InputError
from tco.simulate.step_table import StepTable


def speculative(
    table: StepTable, *, proposed: int, accepted_tokens: float, draft_fraction: float
) -> StepTable:
    """Return the table of steps that check `proposed` tokens of each sequence at once.

    A step then yields `accepted_tokens` of an answer (`steps_of` shortens the answers): the
    acceptance is a measured input, never assumed.

    Parameters
    ----------
    proposed
        Tokens the draft proposes a step.
    accepted_tokens
        Mean tokens a step yields, the model's own one included: 1 to ``proposed + 1``.
    draft_fraction
        Time of drafting over the time of a plain step.

    Examples
    --------
    >>> table = StepTable(np.linspace(0.01, 0.02, 200), 0.0, 0.0, 1e6, 8, 64)
    >>> faster = speculative(table, proposed=3, accepted_tokens=2.5, draft_fraction=0.1)
    >>> one, many = float(table.seconds(0, 0, 1, 100)), float(faster.seconds(0, 0, 1, 100))
    >>> bool(one < many < 2.5 * one)
    True
    """
    if proposed < 1:
        raise InputError("proposed", f"{proposed} is below 1", "propose at least one token")
    if not 1 <= accepted_tokens <= proposed + 1:
        raise InputError(
            "accepted_tokens",
            f"{accepted_tokens:g} of {proposed} proposed",
            f"enter the measured mean, 1 to {proposed + 1}",
        )
    if draft_fraction < 0:
        raise InputError("draft_fraction", f"{draft_fraction:g} is below 0", "enter 0 or more")
    rows = np.arange(len(table.rows_s), dtype=np.float64)
    decoding = np.minimum(rows, table.max_sequences)
    checked = np.minimum(rows + decoding * proposed, len(table.rows_s) - 1)
    base = np.interp(checked, rows, table.rows_s)
    return dataclasses.replace(
        table,
        rows_s=base + draft_fraction * table.rows_s,
        sequence_s=table.sequence_s * (1 + draft_fraction),
        kv_s=table.kv_s * (1 + draft_fraction),
    )


def steps_of(output_tokens: int, accepted_tokens: float) -> int:
    """Return the steps of an answer: the first token comes from the prefill.

    Examples
    --------
    >>> steps_of(251, 2.5), steps_of(1, 2.5)
    (101, 1)
    """
    return 1 + max(0, round((output_tokens - 1) / accepted_tokens))
