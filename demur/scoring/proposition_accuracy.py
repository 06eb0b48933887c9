"""Accuracy of grades of propositions, and of classes derived from them; intervals resample prompts.

Arrays have one row per completion. A grade counts as true if its probability is above the threshold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demur.scoring.bootstrap import FloatArray, IntArray, Statistic, evaluate, resample
from demur.scoring.composites import Composite, harmonic_mean, mean_of
from demur.scoring.errors import ScoringError
from demur.scoring.intervals import MEAN_OF_SHARES, SHARE, Bounds, summarise

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

MEASURES = ("accuracy", "balanced_accuracy", "f1", "base_rate")
_SPANS = (
    SHARE,
    replace(MEAN_OF_SHARES, composite=Composite((5, 6), mean_of)),
    replace(SHARE, composite=Composite((4, 5), harmonic_mean)),
    SHARE,
    SHARE,
    SHARE,
    SHARE,
)
"""Bounds of MEASURES; behind them of precision, and of the shares of true and of false rows that are graded right."""
EACH_WAY = 20
"""Smallest number of true and of false rows of a proposition for the macro average."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A value with its 95 % interval; None where undefined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PropositionAccuracy:
    """Accuracy of the grades of one proposition, which is true in `positives` of `n` rows."""

    n: int
    positives: int
    accuracy: Measured
    balanced_accuracy: Measured
    f1: Measured
    base_rate: Measured

    @property
    def reason(self) -> str | None:
        """Reason for an undefined measure; None if all measures are defined."""
        if self.n == 0:
            return "no rows"
        if self.positives in (0, self.n):
            only = "false" if self.positives == 0 else "true"
            return f"{only} in all rows: no balanced accuracy"
        return "neither true nor graded as true: no F1" if self.f1.value is None else None


def proposition_accuracies(
    names: Sequence[str], truth: Flags, taken: Flags, prompts: ArrayLike, replicates: int, seed: int
) -> dict[str, PropositionAccuracy]:
    """Return the accuracy of each proposition.

    Args:
        names: the propositions, one per column.
        truth: whether each proposition is true, shape (rows, propositions).
        taken: whether each grade counts as true, shape (rows, propositions).
        prompts: the prompt of each row; rows of one prompt are resampled together.
        replicates: number of bootstrap replicates.
        seed: seed of the bootstrap.
    """
    if not len(truth):
        nothing = Measured(None, None, None)
        return {name: PropositionAccuracy(0, 0, nothing, nothing, nothing, nothing) for name in names}
    cells = np.stack([truth & taken, ~truth & taken, truth & ~taken, ~truth & ~taken]).astype(np.float64)
    sums = _by_prompt(cells, prompts)
    found = _measured(sums, _measures, _behind(sums), _SPANS, replicates, seed)
    positives = truth.sum(axis=0)
    return {
        name: PropositionAccuracy(len(truth), int(positives[at]), *(found[row][at] for row in range(len(MEASURES))))
        for at, name in enumerate(names)
    }


def share_right(right: Flags, prompts: ArrayLike, replicates: int, seed: int) -> Measured:
    """Return the share of rows that are True in `right`, with an interval over prompts."""
    if not len(right):
        return Measured(None, None, None)
    sums = _by_prompt(np.stack([right, np.ones_like(right)])[:, :, None].astype(np.float64), prompts)
    behind = np.full((1, 1), sums.shape[-1])
    return _measured(sums, lambda totals: totals[:1] / totals[1:], behind, [SHARE], replicates, seed)[0][0]


def macro_balanced_accuracy(found: Mapping[str, PropositionAccuracy]) -> float | None:
    """Return the mean balanced accuracy of propositions with at least EACH_WAY true and EACH_WAY false rows.

    None if there is no such proposition.
    """
    values = [
        each.balanced_accuracy.value
        for each in found.values()
        if each.balanced_accuracy.value is not None and min(each.positives, each.n - each.positives) >= EACH_WAY
    ]
    return float(np.mean(values)) if values else None


def _by_prompt(cells: FloatArray, prompts: ArrayLike) -> FloatArray:
    """Return the sums of `cells` over the rows of each prompt, shape (counts, columns, prompts).

    `cells` has shape (counts, rows, columns); its first axis has the counts of a statistic, such as hits and misses.
    """
    ids, codes = np.unique(np.asarray(prompts).astype(np.str_), return_inverse=True)
    if len(codes) != cells.shape[1]:
        raise ScoringError(f"there are {len(codes)} prompts for {cells.shape[1]} rows. Give one prompt for each row")
    sums = np.zeros((len(ids), cells.shape[0], cells.shape[2]))
    np.add.at(sums, codes, cells.transpose(1, 0, 2))
    return sums.transpose(1, 2, 0)


def _measures(totals: FloatArray) -> FloatArray:
    hit, false_alarm, missed, left = totals
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = hit + false_alarm + missed + left
        precision, of_true, of_false = hit / (hit + false_alarm), hit / (hit + missed), left / (left + false_alarm)
        f1 = 2 * hit / (2 * hit + false_alarm + missed)
        balanced = (of_true + of_false) / 2
        return np.stack([(hit + left) / rows, balanced, f1, (hit + missed) / rows, precision, of_true, of_false])


def _behind(cells: FloatArray) -> IntArray:
    """Return the number of prompts behind each of the statistics of `_measures`, shape (statistics, columns).

    Only the prompts with the rarer truth value are behind balanced accuracy. Only the prompts with a row that is true
    or graded as true are behind F1.
    """
    hit, false_alarm, missed, left = cells > 0
    everything = (hit | false_alarm | missed | left).sum(axis=-1)
    graded, true, false = (
        (one | other).sum(axis=-1) for one, other in ((hit, false_alarm), (hit, missed), (left, false_alarm))
    )
    either = (hit | false_alarm | missed).sum(axis=-1)
    return np.stack([everything, np.minimum(true, false), either, everything, graded, true, false])


def _measured(
    sums: FloatArray, statistic: Statistic, behind: IntArray, spans: Sequence[Bounds], replicates: int, seed: int
) -> list[list[Measured]]:
    """Return value and interval for each statistic (outer list) and column (inner list)."""
    weights = resample(sums.shape[-1], replicates, seed)
    intervals = summarise(evaluate(sums, statistic, weights), behind, spans)

    def known(number: float) -> float | None:
        return None if np.isnan(number) else float(number)

    return [
        [Measured(*(known(number) for number in numbers)) for numbers in zip(*rows, strict=True)]
        for rows in zip(intervals.value, intervals.low, intervals.high, strict=True)
    ]
