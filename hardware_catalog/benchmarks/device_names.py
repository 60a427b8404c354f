"""Recognising a device by the name that its driver gives it.

Drivers and data sheets spell differently: "NVIDIA A100-SXM4-80GB" and "A100 80GB SXM4", "AMD EPYC
9654 96-Core Processor" and "EPYC 9654". A name is split into designators (words with digits, such
as h100 or 9654), plain words, memory size and form. A wrong match would poison a catalog entry, so
whatever stays ambiguous is no match: the device then becomes a pending entry for a person to judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MEMORY_TOLERANCE = 0.12

_NOISE = frozenset(
    [
        "nvidia",
        "amd",
        "intel",
        "aws",
        "google",
        "habana",
        "corporation",
        "inc",
        "ltd",
        "r",
        "tm",
        "cpu",
        "gpu",
        "device",
        "processor",
        "core",
        "accelerator",
        "graphics",
        "tesla",
        "geforce",
        "instinct",
        "with",
        "radeon",
        "per",
        "single",
        "hbm2",
        "hbm2e",
        "hbm3",
        "hbm3e",
    ]
)
_FORM = re.compile(r"^(sxm|pcie|nvl|oam)\d*$")
_MEMORY = re.compile(r"^(\d+)gb$")
_DESIGNATOR = re.compile(r"^(?=.*\d)(?:.*[a-z].*|\d{3,}\+?)$")
_CORES = re.compile(r"\d+[- ]core\b")
_CLOCK = re.compile(r"@\s*[\d.]+\s*ghz")


@dataclass(frozen=True, slots=True)
class NameParts:
    """A device name, taken apart."""

    designators: tuple[str, ...]
    words: frozenset[str]
    memory_gb: int | None
    form: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A catalog device that an upload may be."""

    pk: int
    name: str
    is_cpu: bool
    memory_gb: float | None


def name_parts(name: str) -> NameParts:
    """Take a name apart.

    >>> name_parts("NVIDIA A100-SXM4-80GB")
    NameParts(designators=('a100',), words=frozenset(), memory_gb=80, form='sxm')
    >>> name_parts("AMD EPYC 9654 96-Core Processor").designators
    ('9654',)
    >>> name_parts("Gaudi 3 HL-325L (OAM)").designators
    ('gaudi3', '325l')
    """
    text = _CLOCK.sub(" ", _CORES.sub(" ", name.lower()))
    tokens = re.findall(r"[a-z0-9.]+\+?", text)
    joined: list[str] = []
    for token in tokens:
        if re.fullmatch(r"\d{1,2}", token) and joined and joined[-1].isalpha():
            joined[-1] += token  # "gaudi 3" is gaudi3
        else:
            joined.append(token)
    memory, form = None, ""
    designators: list[str] = []
    words: set[str] = set()
    for token in joined:
        if found := _MEMORY.match(token):
            memory = int(found[1])
        elif shape := _FORM.match(token):
            form = form or shape[1]
        elif token in _NOISE:
            continue
        elif _DESIGNATOR.match(token):
            designators.append(token)
        else:
            words.add(token)
    return NameParts(tuple(designators), frozenset(words), memory, form)


def find_device(
    model: str, *, is_cpu: bool, memory_gb: float | None, candidates: Sequence[Candidate]
) -> Candidate | None:
    """Return the one candidate that the uploaded name means, None if there is none or several.

    `memory_gb` is what the driver reports, in GB (1e9); half of a device that shows up as two must
    not match the whole.
    """
    wanted = name_parts(model)
    if not wanted.designators:
        return None
    found: list[tuple[float, Candidate, NameParts]] = []
    for candidate in candidates:
        parts = name_parts(candidate.name)
        if candidate.is_cpu != is_cpu or not _same_chip(wanted, parts):
            continue
        if not is_cpu and not _same_memory(wanted, memory_gb, candidate):
            continue
        if wanted.form and parts.form and wanted.form != parts.form:
            continue
        ours = {*wanted.designators, *wanted.words}
        theirs = {*parts.designators, *parts.words}
        found.append((len(ours & theirs) / len(ours | theirs), candidate, parts))
    if not found:
        return None
    best = max(score for score, _, _ in found)
    ties = [(candidate, parts) for score, candidate, parts in found if score == best]
    if len(ties) > 1 and not wanted.form:
        # The driver names the form of the card only when it is not the socketed one.
        ties = [(candidate, parts) for candidate, parts in ties if parts.form == "sxm"]
    return ties[0][0] if len(ties) == 1 else None


def _same_chip(wanted: NameParts, parts: NameParts) -> bool:
    if not parts.designators or parts.designators[0] not in wanted.designators:
        return False
    bare_number = parts.designators[0].rstrip("+").isdigit()
    return not bare_number or bool(parts.words & wanted.words)


def _same_memory(wanted: NameParts, memory_gb: float | None, candidate: Candidate) -> bool:
    if candidate.memory_gb is None:
        return True
    if wanted.memory_gb is not None and wanted.memory_gb != round(candidate.memory_gb):
        return False
    if memory_gb is None:
        return True
    return abs(memory_gb / candidate.memory_gb - 1) <= MEMORY_TOLERANCE
