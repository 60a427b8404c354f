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


def test_odd_cells_are_named_and_never_a_crash():
    """Infinite and missing tokens, dates in any column, more digits than microseconds, zones."""
    head = "timestamp,input_tokens,output_tokens\n"
    text = head + "2023-11-16 18:15:46.6805900,4,5\n2023-11-16T19:15:47.18+01:00,4,5\n"
    assert read_trace(text).requests.arrival_s == pytest.approx([0.0, 0.49941], abs=1e-6)
    bad = head + "0,inf,5\n1\n\n2,2.5,5\nsoon,1,1\n2023-99-16 10:00,1,1\nnan,1,1\n"
    with pytest.raises(InputErrors) as caught:
        read_trace(bad)
    said = [(one.field, one.message) for one in caught.value.errors]
    assert said == [
        ("trace line 2, input_tokens", "'inf' is no whole number"),
        ("trace line 3, input_tokens", "is empty"),
        ("trace line 3, output_tokens", "is empty"),
        ("trace line 5, input_tokens", "'2.5' is no whole number"),
        ("trace line 6, timestamp", "'soon' is no number"),
        ("trace line 7, timestamp", "'2023-99-16 10:00' is no time"),
        ("trace line 8, timestamp", "'nan' is not 0 or more"),
    ]
    assert all(one.mend for one in caught.value.errors)


def test_many_bad_rows_are_counted():
    """Twenty one by one, then how many more."""
    text = "arrival_s,input_tokens,output_tokens\n" + "0,0,1\n" * 50
    with pytest.raises(InputErrors) as caught:
        read_trace(text)
    assert len(caught.value.errors) == 21
    assert caught.value.errors[-1].message == "30 more cells are bad"


def test_cached_tokens_are_read_where_given():
    """At most the prompt."""
    head = "arrival_s,input_tokens,output_tokens,cached_tokens\n"
    assert read_trace(head + "0,10,5,0\n1,10,5,8\n").requests.cached == [0, 8]
    with pytest.raises(InputErrors, match="more than the input tokens"):
        read_trace(head + "0,10,5,11\n")
    with pytest.raises(InputErrors) as caught:
        read_trace(head + "soon,x,5,11\n")
    assert len(caught.value.errors) == 2


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
