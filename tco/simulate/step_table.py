"""What the load models need to know of a replica: time of an iteration, room, limits (P5, P6).

One exact and compact form of T(prefill tokens, decode sequences, contexts). The event simulator,
the closed form and the search all read it, so they cannot disagree on the engine they model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StepTable:
    """Times of one replica; seconds.

    An iteration that carries ``r`` rows in all (one a decoding sequence, the rest prompt tokens),
    of which ``n`` decode with ``c`` tokens of context in sum, takes::

        rows_s[r] + sequence_s * n
        + kv_s * c + window_kv_s * min(c, n * window_tokens)
        + prompt_s * sum over prompt chunks of p * (cached + p / 2)
        + window_prompt_s * sum of p * min(cached + p / 2, window_tokens)
        + prompt_fixed_s if there are prompt rows

    Parameters
    ----------
    rows_s
        Shape (largest number of rows + 1,); weights, products, collectives, launches, host time of
        an iteration. Index 0 is unused.
    sequence_s
        Host time of each decoding sequence, and what its constant state costs.
    request_s
        Host time of a request outside the iterations (tokenise, first response), in parallel.
    kv_tokens
        KV room in tokens of full layers; ``inf`` where the memory is not known.
    """

    rows_s: Array
    kv_s: float
    prompt_s: float
    kv_tokens: float
    max_sequences: int
    max_batched_tokens: int
    sequence_s: float = 0.0
    window_kv_s: float = 0.0
    window_prompt_s: float = 0.0
    window_tokens: float = 0.0
    request_s: float = 0.0
    prompt_fixed_s: float = 0.0  # added to an iteration that carries any prompt row
    block_tokens: int = 16

    def seconds(
        self,
        prompt_tokens: Array | float,
        attended: Array | float,
        sequences: Array | float,
        context_tokens: Array | float,
    ) -> Array:
        """Return seconds of iterations; arrays broadcast.

        Parameters
        ----------
        prompt_tokens
            Prompt rows of the iteration.
        attended
            Sum over prompt chunks of ``p * (cached + p / 2)``.
        sequences
            Decoding sequences.
        context_tokens
            Their contexts in sum.
        """
        prompt, n = np.asarray(prompt_tokens, float), np.asarray(sequences, float)
        c, a = np.asarray(context_tokens, float), np.asarray(attended, float)
        rows = prompt + n
        last = len(self.rows_s) - 1
        low = np.clip(np.floor(rows), 1, last - 1 if last > 1 else last).astype(np.int64)
        high = np.minimum(low + 1, last)
        base = self.rows_s[low] + (rows - low) * (self.rows_s[high] - self.rows_s[low])
        windowed = np.minimum(c, n * self.window_tokens)
        mean_attended = np.divide(a, prompt, out=np.zeros_like(a + prompt), where=prompt > 0)
        seconds: Array = (
            base
            + self.sequence_s * n
            + self.kv_s * c
            + self.window_kv_s * windowed
            + self.prompt_s * a
            + np.where(prompt > 0, self.prompt_fixed_s, 0.0)
            + self.window_prompt_s * prompt * np.minimum(mean_attended, self.window_tokens)
        )
        return seconds
