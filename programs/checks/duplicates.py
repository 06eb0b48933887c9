"""Duplicates: the same item twice, or one lever pulled the same way twice on one base instance."""

import hashlib
from collections.abc import Container
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from programs.checks.diff import InstanceDiff
from programs.checks.results import CheckName, CheckResult, failed, passed
from programs.instances import BaseInstance, Perturbation
from programs.rules.analysis.tokens import words

NEAR_EQUAL = 92.0
"""Likeness of two changed texts, 0 to 100, from which on one lever counts as pulled the same way twice."""


def normalised(text: str) -> str:
    """Return the words of `text` in normal form: case, punctuation and spacing do not count."""
    return " ".join(t.norm for t in words(text))


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\x1f".join(texts).encode(), digest_size=16).hexdigest()


def item_key(question: str, passages: tuple[str, ...]) -> str:
    """Return a key that is equal for two items whose normalised question and passages are equal."""
    return _digest(normalised(question), *(normalised(p) for p in passages))


def duplicate_key(base: BaseInstance, perturbation: Perturbation) -> str:
    """Return the item key of a perturbation."""
    return item_key(perturbation.question, tuple(p.text for p in perturbation.passages(base)))


def base_key(base: BaseInstance) -> str:
    """Return the item key of an unperturbed base instance."""
    return item_key(base.question, tuple(p.text for p in base.passages))


def changed_text(found: InstanceDiff) -> str:
    """Return what was added and taken out, normalised: what makes one perturbation of a base unlike another."""
    pieces = []
    for index, part in found.parts:
        pieces.append(f"{'q' if index is None else index} + {normalised(part.added_text)}")
        pieces.append("- " + normalised(" ".join(s.of(part.old) for s in part.removed)))
    return " | ".join(pieces)


@dataclass(slots=True)
class Seen:
    """What a round has made so far; `released` holds item keys of earlier releases.

    Keeps 32 characters per item, and the changed texts of one base instance at a time when bases come one after the
    other (`forget_base`).
    """

    released: Container[str] = frozenset()
    _items: set[str] = field(default_factory=set)
    _changes: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, base: BaseInstance, perturbation: Perturbation, found: InstanceDiff) -> None:
        """Remember a perturbation that was taken."""
        self._items.add(duplicate_key(base, perturbation))
        self._changes.setdefault((base_key(base), perturbation.lever), []).append(changed_text(found))

    def forget_base(self, base: BaseInstance) -> None:
        """Drop the changed texts of a base instance whose strata are all done."""
        key = base_key(base)
        for known in [k for k in self._changes if k[0] == key]:
            del self._changes[known]

    def check(self, base: BaseInstance, perturbation: Perturbation, found: InstanceDiff) -> CheckResult:
        """Check that a perturbation is not there yet: not as an item, not as the same pull of the same lever."""
        name = CheckName.NO_DUPLICATE
        key = duplicate_key(base, perturbation)
        if key in self.released:
            return failed(name, f"an earlier release holds the same question and passages (key {key})")
        if key in self._items:
            return failed(name, f"this round holds the same question and passages (key {key})")
        text = changed_text(found)
        for other in self._changes.get((base_key(base), perturbation.lever), ()):
            likeness = fuzz.ratio(text, other, score_cutoff=NEAR_EQUAL)
            if likeness >= NEAR_EQUAL:
                return failed(
                    name, f"'{perturbation.lever}' made a near-equal change of this base ({likeness:.0f} of 100)"
                )
        return passed(name, f"key {key} is new")
