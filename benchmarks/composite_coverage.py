"""How often the intervals of the calibrated refusal score and of its differences hold the planted value.

    python benchmarks/composite_coverage.py [--rounds 4000] [--sources 4 12 24 100] [--items 6]

The score is the mean of two shares, the right answers and the right refusals. Their true values are .5 to .97. Each
source question has `--items` answerable and as many other items, whose responses correlate (.1 or .4 on the latent
scale); the two shares of a question correlate too (-.5, 0 or .6). Differences are between two respondents that lean the
same way (.6) at each question. Beside the coverage stands the mean width, as a multiple of the width of the limits that
know nothing of the two shares (those before November 2026), where all shares are at most .8.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
from scipy.special import ndtri

from demur.scoring.bootstrap import FloatArray, Resampled, evaluate, resample
from demur.scoring.intervals import DIFFERENCE, TIE, Bounds, Estimate, EstimateBasis, summarise
from demur.scoring.metrics import spans_of, with_parts
from demur.scoring.model_comparisons import chosen_metrics, differences

SEED, REPLICATES, ALIKE = 20_261_128, 500, 0.6
SHARES = (0.5, 0.65, 0.8, 0.9, 0.97)
CORRELATIONS = tuple((within, between) for within in (0.1, 0.4) for between in (-0.5, 0.0, 0.6))
LEAST, WIDEST, CENTRAL = 93.0, 1.15, 0.8
COUNTED = with_parts(chosen_metrics(["calibrated_refusal_score"]))


@dataclass(frozen=True, slots=True)
class Setting:
    """The true shares of the respondents, one pair each, and the correlations within and between the shares."""

    shares: tuple[tuple[float, float], ...]
    within: float
    between: float

    @property
    def truth(self) -> float:
        """The score, or the difference of two scores."""
        first, *others = (float(np.mean(pair)) for pair in self.shares)
        return first - others[0] if others else first


def settings() -> Iterator[Setting]:
    """Yield all settings: of one respondent, then of two."""
    pairs = list(combinations_with_replacement(SHARES, 2))
    for within, between in CORRELATIONS:
        for pair in pairs:
            yield Setting((pair,), within, between)
        for first, second in ((0, 0), (0, 2), (2, 5), (6, 9), (9, 9), (9, 14), (11, 11), (14, 14)):
            yield Setting((pairs[first], pairs[second]), within, between)


def drawn(setting: Setting, sources: int, items: int, rounds: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return the sums of each respondent, shape (right and all of each share, rounds, sources)."""
    common = rng.standard_normal((2, rounds, sources))
    found = []
    for pair in setting.shares:
        own = rng.standard_normal((2, rounds, sources))
        leaning = np.sqrt(ALIKE) * common + np.sqrt(1.0 - ALIKE) * own
        leaning[1] = setting.between * leaning[0] + np.sqrt(1.0 - setting.between**2) * leaning[1]
        latent = np.sqrt(setting.within) * leaning[..., None]
        latent = latent + np.sqrt(1.0 - setting.within) * rng.standard_normal((*leaning.shape, items))
        right = (latent < ndtri(np.array(pair))[:, None, None, None]).sum(axis=-1)
        found.append(np.stack([right[0], np.full_like(right[0], items), right[1], np.full_like(right[0], items)]))
    return [sums.astype(np.float64) for sums in found]


def scored(sums: FloatArray) -> FloatArray:
    """Return score, share of right answers and share of right refusals, in the order of COUNTED."""
    answers, refusals = sums[0] / sums[1], sums[2] / sums[3]
    return np.stack([(answers + refusals) / 2.0, answers, refusals])


def limits(sides: Sequence[Resampled], basis: EstimateBasis) -> tuple[FloatArray, FloatArray]:
    """Return the limits of a score or of a difference, shape (rounds,)."""
    if len(sides) == 1:
        found = summarise(sides[0], basis.sources, basis.spans)
        return found.low[0], found.high[0]
    of_score: list[Estimate] = differences((sides[0], basis), (sides[1], basis))[0]
    return np.array([one.low for one in of_score]), np.array([one.high for one in of_score])


def former(sides: Sequence[Resampled], basis: EstimateBasis) -> FloatArray:
    """Return the widths of limits that know nothing of the shares, shape (rounds,)."""
    span: Bounds = replace(basis.spans[0], composite=None) if len(sides) == 1 else DIFFERENCE
    resampled = sides[0] if len(sides) == 1 else sides[0] - sides[1]
    alone = Resampled(resampled.value[:1], resampled.replicates[:1], resampled.leave_one_out[:1])
    found = summarise(alone, basis.sources[:1], [span])
    return np.asarray(found.high[0] - found.low[0])


def measured(setting: Setting, sources: int, items: int, rounds: int, rng: np.random.Generator) -> dict[str, object]:
    """Return coverage and widths of a setting."""
    weights = resample(sources, REPLICATES, SEED)
    sides = [evaluate(sums, scored, weights) for sums in drawn(setting, sources, items, rounds, rng)]
    shape = len(COUNTED), rounds
    basis = EstimateBasis(
        n=np.full(shape, 2 * items * sources),
        sources=np.full(shape, sources),
        reasons=[[None] * rounds for _ in COUNTED],
        spans=spans_of(COUNTED),
    )
    low, high = limits(sides, basis)
    held = (low <= setting.truth + TIE) & (setting.truth <= high + TIE)
    return {
        "what": "score" if len(sides) == 1 else "difference",
        "sources": sources,
        "shares": " against ".join(f"{first:g}, {second:g}" for first, second in setting.shares),
        "within": setting.within,
        "between": setting.between,
        "coverage": 100.0 * float(held.mean()),
        "width": float((high - low).mean()),
        "times": float((high - low).mean() / former(sides, basis).mean()),
        "central": max(max(pair) for pair in setting.shares) <= CENTRAL,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4_000)
    parser.add_argument("--sources", type=int, nargs="+", default=[4, 12, 24, 100])
    parser.add_argument("--items", type=int, default=6, help="answerable items of a source question, and others")
    a = parser.parse_args()
    started = time.process_time()
    rng = np.random.default_rng(SEED)
    found = pd.DataFrame(
        [measured(setting, sources, a.items, a.rounds, rng) for sources in a.sources for setting in settings()]
    )
    print(f"{'':24}settings  least coverage  mean  below {LEAST:g} %  widest where all shares are at most {CENTRAL:g}")
    for (what, sources), part in found.groupby(["what", "sources"], sort=False):
        few = int((part["coverage"] < LEAST).sum())
        wide = part.loc[part["central"], "times"].max()
        print(
            f"{what:11}{sources:4} questions {len(part):8}  {part['coverage'].min():14.1f}  "
            f"{part['coverage'].mean():4.1f}  {few:10}  {wide:10.2f} times"
        )
    outside = found[(found["coverage"] < LEAST) | (found["central"] & (found["times"] > WIDEST))]
    if len(outside):
        print(outside.round(3).to_string(index=False))
    print(f"{a.rounds} rounds each, {time.process_time() - started:.0f} s of CPU")


if __name__ == "__main__":
    main()
