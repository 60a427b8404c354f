"""Prefix hits against a cache that is a plain list of tokens, most recent first (P6.1)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.simulate.requests import Requests
from tco.simulate.reuse import Reuse, block_pieces, conversations, reuse, session_pieces


def by_token_lists(requests, pieces, room, host, block=1) -> Reuse:
    """Keep every token by name and place in one list; cut it where the rooms end."""
    recent, cached, fetched = [], [], []
    for place, prompt in enumerate(requests.input_tokens):
        device = set(recent[: int(min(room, len(recent)))])
        held = set(recent)
        here = there = 0
        wanted = [(name, n) for name, tokens in pieces[place] for n in range(tokens)]
        for token in wanted:
            if token not in held:
                break
            here, there = here + (token in device), there + (token not in device)
        whole = min(here + there, prompt - 1) // block * block
        cached.append(whole)
        fetched.append(max(0, whole - here))
        name, tokens = pieces[place][-1]
        answer = [(name, tokens + n) for n in range(requests.output_tokens[place])]
        used = [*wanted, *answer]
        # what a piece holds on the device beyond this use is as recent as the piece; what it has on
        # the host beyond this use is not copied, and given up
        keys = {name for name, _ in pieces[place]}
        used += [token for token in device - set(used) if token[0] in keys]
        recent = [token for token in recent if token[0] not in keys]
        order = {name: depth for depth, (name, _) in enumerate(pieces[place])}
        used = sorted(set(used), key=lambda token: (order[token[0]], token[1]))
        rest = [token for token in recent if token not in set(used)]
        whole_room = room + host
        recent = [*used, *rest][: int(whole_room) if math.isfinite(whole_room) else None]
    return Reuse(cached, fetched, sum(cached) / sum(requests.input_tokens))


rows = st.lists(
    st.tuples(st.integers(1, 12), st.integers(1, 6), st.integers(0, 3)), min_size=1, max_size=25
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    rows=rows,
    room=st.sampled_from([0, 5, 20, 40, math.inf]),
    system=st.integers(0, 4),
    block=st.sampled_from([1, 4]),
)
def test_sessions_find_what_a_list_of_tokens_holds(rows, room, system, block):
    """Least recently used to go, ends of texts first: the same tokens, request by request."""
    requests = Requests(
        [float(n) for n in range(len(rows))], [p for p, _, _ in rows], [a for _, a, _ in rows]
    )
    names = [name or None for _, _, name in rows]
    pieces = session_pieces(requests, names, system_tokens=system)
    found = reuse(requests, pieces, room_tokens=room, block_tokens=block)
    assert found == by_token_lists(requests, pieces, room, 0, block)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    ids=st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True), max_size=20),
    room=st.sampled_from([6, 12, 20]),
    host=st.sampled_from([0, 6, 15]),
)
def test_blocks_find_what_lists_of_two_tiers_hold(ids, room, host):
    """Blocks of three tokens, on the device and behind it on the host."""
    ids = [[0], *ids]
    requests = Requests([0.0] * len(ids), [3 * len(row) for row in ids], [1] * len(ids))
    pieces = block_pieces(requests, ids, tokens=3)
    found = reuse(requests, pieces, room_tokens=room, host_tokens=host, block_tokens=1)
    plain = by_token_lists(requests, pieces, room, host)
    assert found.fetched == plain.fetched
    assert found.cached == plain.cached


@pytest.mark.parametrize("room", [2_000, 8_000, 40_000])
def test_hits_of_conversations_grow_with_the_room(room):
    """Sessions of six turns: more room never finds less, and never more than without limit."""
    load, pieces, _ = conversations(
        40,
        turns=6,
        sessions_per_s=0.5,
        turn_gap_s=20.0,
        question_tokens=100,
        answer_tokens=150,
        system_tokens=200,
        seed=4,
    )
    some = reuse(load, pieces, room_tokens=room)
    twice = reuse(load, pieces, room_tokens=2 * room)
    best = reuse(load, pieces, room_tokens=math.inf)
    assert some.cached_fraction <= twice.cached_fraction <= best.cached_fraction
    # without limit: all but the first turns' questions, the later questions, and block ends
    first, later = 40 * 100 + 200, 40 * 5 * 100
    total = sum(load.input_tokens)
    assert best.cached_fraction == pytest.approx((total - first - later) / total, abs=0.02)
