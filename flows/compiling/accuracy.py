"""Held-out accuracy before and after a compilation, and what changed, with intervals that resample whole groups."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from pydantic import JsonValue

from programs.compiling.kinds import Case
from programs.compiling.measuring import Measured
from scoring.bootstrap import FloatArray, evaluate, resample, summarise

REPLICATES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Share:
    """A share, or a difference of shares, with its 95 % interval.

    The interval is None where all groups are alike (all of it right): they tell nothing of those that are not here.
    """

    value: float
    low: float | None
    high: float | None

    def told(self, sign: str = "") -> str:
        """Return the share in percent, with `sign` as formats have it."""
        if self.low is None or self.high is None:
            return f"{self.value:{sign}.1%} (no interval: all cases are alike)"
        return f"{self.value:{sign}.1%} ({self.low:{sign}.1%} to {self.high:{sign}.1%})"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of held-out truths that are right, before and after.

    `commonest` is what saying the commoner truth of each name would get right, as the other cases tell it. Groups are
    prompts or base instances.
    """

    before: Share
    after: Share
    change: Share
    commonest: float
    truths: int
    cases: int
    groups: int
    failed: tuple[int, int]

    @property
    def better(self) -> bool:
        """Whether the interval of the change is above 0."""
        return self.change.low is not None and self.change.low > 0

    def told(self) -> Iterator[str]:
        """Yield lines for a terminal."""
        yield f"held out: {self.truths} truths of {self.cases} cases; 95 % intervals resample {self.groups} groups"
        for name, share, failed in zip(("before", "after"), (self.before, self.after), self.failed, strict=True):
            yield f"{name + ':':8}{share.told()}" + (f", {failed} without a readable reply" if failed else "")
        same = self.before == self.after and self.change.low is None
        yield "change: none in any case" if same else f"change: {self.change.told('+')}"
        yield f"always the commoner truth of each: {self.commonest:.1%}"

    def as_json(self) -> dict[str, JsonValue]:
        """Return what a compiled file says of it."""
        shares = {"before": self.before, "after": self.after, "change": self.change}
        return {
            **{name: {"value": one.value, "low": one.low, "high": one.high} for name, one in shares.items()},
            "commonest": self.commonest,
            "truths": self.truths,
            "groups": self.groups,
            "without_reply": list(self.failed),
        }


def held_out_accuracy(before: Measured, after: Measured, others: Sequence[Case], seed: int) -> Accuracy:
    """Return both accuracies and their difference, paired by group; both must be of the same cases."""
    cases = [case for case, _ in before.scored]
    groups = sorted({case.group for case in cases})
    sums = np.zeros((3, 1, len(groups)))
    for case, at in zip(cases, np.searchsorted(groups, [case.group for case in cases]), strict=True):
        sums[2, 0, at] += len(case.truths)
    for row, measured in enumerate((before, after)):
        for case, score in measured.scored:
            sums[row, 0, groups.index(case.group)] += score.right if score else 0
    found = summarise(evaluate(sums, _shares, resample(len(groups), REPLICATES, seed)))
    shares = [
        Share(float(found.value[row, 0]), None, None)
        if found.flat[row, 0] or len(groups) < 2
        else Share(float(found.value[row, 0]), float(found.low[row, 0]), float(found.high[row, 0]))
        for row in range(3)
    ]
    right = _commonest_right(cases, others)
    truths = before.truths
    failed = (before.failed, after.failed)
    return Accuracy(shares[0], shares[1], shares[2], right / truths, truths, len(cases), len(groups), failed)


def _shares(sums: FloatArray) -> FloatArray:
    before, after, truths = sums
    with np.errstate(invalid="ignore"):
        return np.stack([before / truths, after / truths, (after - before) / truths])


def _commonest_right(cases: Sequence[Case], others: Sequence[Case]) -> int:
    """How many truths are right of who says of each name what most of the other cases have; False where they tie."""
    held = Counter(name if holds else f"not {name}" for case in others for name, holds in case.truths.items())
    return sum(holds == (held[name] > held[f"not {name}"]) for case in cases for name, holds in case.truths.items())
