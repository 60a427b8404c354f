"""The power tree: utility, transformer, UPS, board, PDU behind PDU, with diversity (F2.6, F2.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tco.errors import InputError, InputErrors
from tco.facility.hall.chain import share_after_loss


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the power tree with what it may carry.

    Parameters
    ----------
    limit_kva, limit_kw
        What it carries continuously; None where it has no limit of its own. Both count.
    diversity_fraction
        Share of the sum below it that is drawn at the same time.
    part
        The part that decides `limit_kva`, e.g. ``breaker``.
    """

    key: str
    name: str
    kind: str
    parent: str = ""
    limit_kva: float | None = None
    limit_kw: float | None = None
    diversity_fraction: float = 1.0
    part: str = ""
    available_from: str = ""


@dataclass(frozen=True, slots=True)
class RackFeeds:
    """How one rack hangs on the tree: a node for every feed."""

    rack: str
    sources: tuple[str, ...]
    redundancy: str
    power_factor: float


class PowerTree:
    """Nodes by key, parents before children.

    Raises
    ------
    InputErrors
        Every loop, unknown parent, key used twice and limit that is not above 0, at once.

    Examples
    --------
    >>> tree = PowerTree([Node("ups", "UPS", "ups", limit_kw=100.0), Node("a", "A", "pdu", "ups")])
    >>> [node.key for node in tree.upstream("a")]
    ['a', 'ups']
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        errors = tuple(tree_errors(nodes))
        if errors:
            raise InputErrors(errors)
        self.nodes: Mapping[str, Node] = {node.key: node for node in nodes}

    @cached_property
    def _paths(self) -> dict[str, tuple[Node, ...]]:
        return {key: tuple(self._walk(key)) for key in self.nodes}

    def _walk(self, key: str) -> Iterator[Node]:
        while key:
            node = self.nodes[key]
            yield node
            key = node.parent

    def upstream(self, key: str) -> tuple[Node, ...]:
        """The node and everything that feeds it, the utility last."""
        return self._paths[key]

    def below(self, key: str) -> frozenset[str]:
        """Keys of the node and of all that it feeds."""
        return frozenset(
            other for other, path in self._paths.items() if any(node.key == key for node in path)
        )

    def coefficients(self, key: str) -> dict[str, float]:
        """What a kilowatt at this node adds to each node above it, diversity multiplied in."""
        found: dict[str, float] = {}
        factor = 1.0
        for node in self.upstream(key):
            factor *= node.diversity_fraction
            found[node.key] = factor
        return found

    def delivered(self, key: str) -> str:
        """Latest date on which a part of the path is delivered, empty if it stands already."""
        return max(node.available_from for node in self.upstream(key))


def tree_errors(nodes: Sequence[Node]) -> Iterator[InputError]:
    """Yield what is wrong with a tree; `field` is the key of the node."""
    by_key: dict[str, Node] = {}
    for node in nodes:
        if node.key in by_key:
            yield InputError(node.key, "the key stands twice", "give each part its own")
        by_key[node.key] = node
        for name, limit in (("kVA", node.limit_kva), ("kW", node.limit_kw)):
            if limit is not None and not limit > 0:
                yield InputError(node.key, f"{limit:g} {name} is not above 0", f"enter {name}")
        if not 0 < node.diversity_fraction <= 1:
            message = f"diversity {node.diversity_fraction:g} is not within 0 and 1"
            yield InputError(node.key, message, "enter 1, or the share drawn at the same time")
    for node in by_key.values():
        if node.parent and node.parent not in by_key:
            yield InputError(node.key, f"no part has the key {node.parent!r}", "name its feeder")
    looped: set[str] = set()
    for key in by_key:
        seen: list[str] = []
        here = key
        while here in by_key and here not in seen:
            seen.append(here)
            here = by_key[here].parent
        if here in seen and here not in looped:
            circle = seen[seen.index(here) :]
            looped.update(circle)
            message = f"the power runs in a loop: {' > '.join([*circle, here])}"
            yield InputError(here, message, "end the tree at the utility")


@dataclass(frozen=True, slots=True)
class NodeLoad:
    """Load of a node against its limits, in the state that loads it most."""

    key: str
    kw: float
    kva: float
    limit_kw: float | None
    limit_kva: float | None

    @property
    def share_fraction(self) -> float | None:
        """Load over the tighter limit; None where it has none."""
        shares = [
            used / limit
            for used, limit in ((self.kw, self.limit_kw), (self.kva, self.limit_kva))
            if limit is not None
        ]
        return max(shares, default=None)


def loads(
    tree: PowerTree,
    feeds: Sequence[RackFeeds],
    rack_kw: Mapping[str, float],
    shares: Mapping[tuple[str, str], float],
) -> dict[str, NodeLoad]:
    """Load of every node in kW and kVA (F2.6, F2.8).

    `shares` says what share of a rack's load passes each node, by (rack, node); see `rack_shares`.
    """
    kw = dict.fromkeys(tree.nodes, 0.0)
    kva = dict.fromkeys(tree.nodes, 0.0)
    by_rack = {feed.rack: feed.power_factor for feed in feeds}
    for (rack, node), share in shares.items():
        drawn_kw = rack_kw.get(rack, 0.0) * share
        kw[node] += drawn_kw
        kva[node] += drawn_kw / by_rack[rack]
    return {
        key: NodeLoad(key, kw[key], kva[key], node.limit_kw, node.limit_kva)
        for key, node in tree.nodes.items()
    }


def rack_shares(
    tree: PowerTree, feeds: Sequence[RackFeeds], *, lost: frozenset[str] = frozenset()
) -> dict[tuple[str, str], float]:
    """Share of each rack's load at each node with the parts `lost` gone (F2.6).

    A rack spreads its load evenly over the feeds that are left; without any it draws nothing.
    """
    gone: set[str] = set()
    for key in lost:
        gone |= tree.below(key)
    found: dict[tuple[str, str], float] = {}
    for feed in feeds:
        left = [source for source in feed.sources if source not in gone]
        for source in left:
            for node, factor in tree.coefficients(source).items():
                place = (feed.rack, node)
                found[place] = found.get(place, 0.0) + factor / len(left)
    return found


def worst_shares(tree: PowerTree, feeds: Sequence[RackFeeds]) -> dict[tuple[str, str], float]:
    """Share of each rack's load at each node in the failure that loads it most (F2.6).

    What feeds one side of a 2N rack must carry all of it.
    """
    found: dict[tuple[str, str], float] = {}
    for feed in feeds:
        counted: dict[str, int] = {}
        factors: dict[str, float] = {}
        for source in feed.sources:
            for node, factor in tree.coefficients(source).items():
                counted[node] = counted.get(node, 0) + 1
                factors[node] = max(factor, factors.get(node, 0.0))
        for node, here in counted.items():
            share = share_after_loss(here, len(feed.sources), feed.redundancy)
            found[(feed.rack, node)] = share * factors[node]
    return found
