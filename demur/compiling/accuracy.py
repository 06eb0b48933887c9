"""Held-out accuracy before and after a compilation, and what changed, with intervals that resample whole groups."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
from pydantic import JsonValue

from demur.compiling.measuring import CaseScores
from demur.programs.compiled.kinds import CaseScore, JudgedCase
from demur.scoring.bootstrap import FloatArray, evaluate, resample
from demur.scoring.intervals import DIFFERENCE, SHARE, Intervals, summarise

REPLICATES: Final = 2_000
FEWEST_GROUPS: Final = 5
"""Fewer groups are too few for an interval."""
ALIKE: Final = "all groups are alike"


@dataclass(frozen=True, slots=True)
class Share:
    """A share, or a difference of shares, with its 95 % interval.

    The interval is None, and `reason` says why, where groups are few or all alike.
    """

    value: float
    low: float | None
    high: float | None
    reason: str | None = None

    def summary(self, sign: str = "") -> str:
        """Return the share in percent, with `sign` as formats have it."""
        if self.low is None or self.high is None:
            return f"{self.value:{sign}.1%} (no interval: {self.reason})"
        return f"{self.value:{sign}.1%} ({self.low:{sign}.1%} to {self.high:{sign}.1%})"


@dataclass(frozen=True, slots=True)
class HeldOutAccuracy:
    """The share of held-out truths that are right, before and after; groups are prompts or base instances.

    `commonest` is the share that the commoner truth of each name, by the other cases, would get right. `moved`
    counts the cases that got more or fewer right than before, `failed` those without a readable reply.
    """

    before: Share
    after: Share
    change: Share
    commonest: float
    truths: int
    cases: int
    groups: int
    moved: int
    failed: tuple[int, int]

    @property
    def better(self) -> bool:
        """Whether the interval of the change is above 0, or all groups gain the same."""
        least = self.change.value if self.change.reason == ALIKE else self.change.low
        return least is not None and least > 0

    def summary(self) -> Iterator[str]:
        """Yield lines for a terminal."""
        yield (
            f"held out: {self.truths} truths of {self.cases} cases; prompts or base instances, which 95 % intervals "
            f"resample: {self.groups}"
        )
        for name, share, failed in zip(("before", "after"), (self.before, self.after), self.failed, strict=True):
            yield f"{name + ':':8}{share.summary()}" + (f", {failed} without a readable reply" if failed else "")
        yield f"change: {self.change.summary('+')}" if self.moved else "change: none in any case"
        yield f"always the commoner truth of each: {self.commonest:.1%}"

    def as_json(self) -> dict[str, JsonValue]:
        """Return what a compiled file says of it."""
        shares = {"before": self.before, "after": self.after, "change": self.change}
        return {
            **{name: asdict(one) for name, one in shares.items()},
            "commonest": self.commonest,
            "truths": self.truths,
            "groups": self.groups,
            "without_reply": list(self.failed),
        }


def held_out_accuracy(
    before: CaseScores, after: CaseScores, others: Sequence[JudgedCase], seed: int
) -> HeldOutAccuracy:
    """Return both accuracies and their difference, paired by group; both must be of the same cases."""
    cases = [case for case, _ in before.scored]
    rights = [(_right(a), _right(b)) for (_, a), (_, b) in zip(before.scored, after.scored, strict=True)]
    groups, at = np.unique([case.group for case in cases], return_inverse=True)
    sums = np.zeros((3, 1, len(groups)))
    for place, case, (one, other) in zip(at, cases, rights, strict=True):
        sums[:, 0, place] += one, other, len(case.truths)
    resampled = evaluate(sums, _shares, resample(len(groups), REPLICATES, seed))
    found = summarise(resampled, np.full((3, 1), len(groups)), [SHARE, SHARE, DIFFERENCE])
    shares = [_share(found, row, len(groups)) for row in range(3)]
    return HeldOutAccuracy(
        before=shares[0],
        after=shares[1],
        change=shares[2],
        commonest=_commonest_right(cases, others) / before.truths,
        truths=before.truths,
        cases=len(cases),
        groups=len(groups),
        moved=sum(one != other for one, other in rights),
        failed=(before.failed, after.failed),
    )


def _share(found: Intervals, row: int, groups: int) -> Share:
    value = float(found.value[row, 0])
    flat = bool(found.flat[row, 0])
    if groups < FEWEST_GROUPS:
        return Share(value, None, None, f"fewer than {FEWEST_GROUPS} groups")
    if flat:
        return Share(value, None, None, ALIKE)
    return Share(value, float(found.low[row, 0]), float(found.high[row, 0]))


def _right(score: CaseScore | None) -> int:
    return score.right if score else 0


def _shares(sums: FloatArray) -> FloatArray:
    before, after, truths = sums
    with np.errstate(invalid="ignore"):
        return np.stack([before / truths, after / truths, (after - before) / truths])


def _commonest_right(cases: Sequence[JudgedCase], others: Sequence[JudgedCase]) -> int:
    """Return how many truths are right if each name has the truth of most other cases; False where they tie."""
    held = Counter(name if holds else f"not {name}" for case in others for name, holds in case.truths.items())
    return sum(holds == (held[name] > held[f"not {name}"]) for case in cases for name, holds in case.truths.items())
