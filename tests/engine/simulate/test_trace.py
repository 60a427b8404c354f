"""Traces of requests: own columns, public shapes, every bad row named (P6.1)."""

from __future__ import annotations

import pytest

from tco.errors import InputError, InputErrors
from tco.simulate.trace import read_trace


def test_the_public_shapes_are_read():
    """Azure: dates; Mooncake: milliseconds; own: seconds."""
    azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,4808,10\n"
    azure += "2023-11-16 18:15:47.18,3180,8\n"
    mooncake = "timestamp,input_length,output_length\n1000,6758,500\n1500,7322,490\n"
    own = "arrival_s,input_tokens,output_tokens\n0,10,5\n0.5,20,5\n"
    for text in (azure, mooncake, own):
        assert read_trace(text).requests.arrival_s == pytest.approx([0.0, 0.5], abs=1e-6)


def test_every_bad_row_is_named():
    """A negative gap, a word, no token: line, column, value, mend; all at once."""
    text = "arrival_s,input_tokens,output_tokens\n1,10,5\n0.5,10,5\n2,many,5\n3,10,0\n-1,10,5\n"
    with pytest.raises(InputErrors) as caught:
        read_trace(text, name="mine.csv")
    fields = [error.field for error in caught.value.errors]
    assert fields == [
        "mine.csv line 3, arrival_s",
        "mine.csv line 4, input_tokens",
        "mine.csv line 5, output_tokens",
        "mine.csv line 6, arrival_s",
    ]
    assert "sort the rows" in caught.value.errors[0].mend
    assert "'many'" in caught.value.errors[1].message


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "arrival_s,input_tokens,output_tokens\n"])
def test_a_file_that_is_no_trace_says_what_is_missing(text):
    """No header, no known column, no row."""
    with pytest.raises(InputError):
        read_trace(text)


def test_bursts_are_measured():
    """Even intervals have no variation, bursts have more than Poisson."""
    head = "arrival_s,input_tokens,output_tokens\n"
    even = read_trace(head + "".join(f"{i},1,1\n" for i in range(50)))
    burst = read_trace(head + "".join(f"{i // 10 * 100},1,1\n" for i in range(50)))
    assert even.variation == pytest.approx(0)
    assert even.requests_per_s == pytest.approx(1)
    assert burst.variation > 2
