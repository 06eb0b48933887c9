"""How often 95 % intervals hold the planted value, over rates from .03 to .6 and rounds of 24 to 300 source questions.

    python benchmarks/coverage.py [--rounds 4000] [--sources 24 50 100 300] [--items-per-source 9] [--apart 0.05]
                                  [--limits percentile]

Respondents have one rate in everything: refusing what they should answer, answering what they should refuse, naming the
right reason, being right. Every round draws fresh source questions, nine items each as the default round does, whose
responses correlate (.2 on the latent scale), and is scored as `demur score` does; 1,000 replicates, seeds fixed
beforehand. A coverage of 95 % over 4,000 rounds is itself seen as 94.3 to 95.7 % nineteen times of twenty.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import bdtr
from simulated_respondents import Respondent, draw, planted

from demur.scoring.bootstrap import FloatArray, evaluate, resample
from demur.scoring.counts import indicators
from demur.scoring.intervals import TIE, Estimate, Limits, bootstrap
from demur.scoring.metrics import METRICS, statistic
from demur.scoring.model_comparisons import chosen_metrics, differences
from demur.scoring.refusal_scores import support
from demur.scoring.table_rows import HEADLINES

SEED, REPLICATES, CORRELATION, ROWS_AT_ONCE = 20_261_122, 1_000, 0.2, 200_000
RATES = (0.03, 0.06, 0.1, 0.3, 0.6)
LOWEST, HIGHEST = 93.5, 96.5


def respondent(rate: float) -> Respondent:
    """Return a respondent to items of several documents, to which all metrics apply."""
    return Respondent(
        f"rate {rate:g}",
        false_refusal_rate=rate,
        missed_refusal_rate=rate,
        category_accuracy=rate,
        correct=0.0,
        invalid_rate=0.03,
        correlation=CORRELATION,
        eligible=0.9,
        supported_all=1.0 - rate,
        supported_relevant=rate / 0.9,
    )


def rounds_of(who: Respondent, sources: int, items: int, rounds: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield sums of shape (sums, rounds, sources) of several rounds at once, until all are drawn."""
    at_once = max(1, ROWS_AT_ONCE // (sources * items))
    for first in range(0, rounds, at_once):
        number = min(at_once, rounds - first)
        _, drawn = draw(who, number * sources, items, rng)
        yield indicators(drawn).reshape(-1, number, sources, items).sum(axis=-1)


def coverage(who: Respondent, sources: int, items: int, rounds: int, limits: Limits | None) -> pd.DataFrame:
    """Return, per metric, in what percentage of the rounds that have an interval it holds the planted value."""
    truth = planted(who)
    metrics = [metric for metric in METRICS if metric.name in truth]
    tally = Tally([metric.name for metric in metrics], [truth[metric.name] for metric in metrics])
    for number, sums in enumerate(rounds_of(who, sources, items, rounds, seeded(who, sources))):
        weights = resample(sources, REPLICATES, SEED + number)
        tally.add(bootstrap(sums, statistic(metrics), weights, support(metrics, sums), limits=limits))
    return tally.table(who, sources, rounds)


def coverage_of_differences(who: Respondent, sources: int, items: int, rounds: int, apart: float) -> pd.DataFrame:
    """Return the same for differences between the respondent and one with a higher rate, over the same sources."""
    other = respondent(who.false_refusal_rate + apart)
    metrics, truth = chosen_metrics(HEADLINES), (planted(who), planted(other))
    names = [f"{name}, difference" for name in HEADLINES]
    tally = Tally(names, [truth[0][name] - truth[1][name] for name in HEADLINES])
    rng = seeded(who, sources)
    both = zip(*(rounds_of(one, sources, items, rounds, rng) for one in (who, other)), strict=True)
    for number, pair in enumerate(both):
        weights = resample(sources, REPLICATES, SEED + number)
        first, second = ((evaluate(sums, statistic(metrics), weights), support(metrics, sums)) for sums in pair)
        tally.add(differences(first, second))
    return tally.table(who, sources, rounds)


@dataclass(slots=True)
class Tally:
    """How often intervals of some statistics held the planted values."""

    names: list[str]
    truth: list[float]
    known: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    width: list[float] = field(default_factory=list)

    def add(self, grid: list[list[Estimate]]) -> None:
        """Count the estimates of some more rounds, a list per statistic."""
        limits = np.array([[[estimate.low, estimate.high] for estimate in row] for row in grid])
        low, high, truth = limits[..., 0], limits[..., 1], np.array(self.truth)[:, None]
        held = (low <= truth + TIE) & (truth <= high + TIE)
        for total, more in (
            (self.known, np.isfinite(low).sum(axis=1)),
            (self.held, held.sum(axis=1)),
            (self.width, np.nansum(high - low, axis=1)),
        ):
            total[:] = (np.array(total or [0.0] * len(more)) + more).tolist()

    def table(self, who: Respondent, sources: int, rounds: int) -> pd.DataFrame:
        """Return one row per statistic; `without` is the percentage of rounds that have no interval."""
        known = np.array(self.known)
        return pd.DataFrame(
            {
                "rate": who.false_refusal_rate,
                "sources": sources,
                "metric": self.names,
                "planted": self.truth,
                "coverage": 100.0 * np.array(self.held) / known,
                "width": np.array(self.width) / known,
                "without": 100.0 * (1.0 - known / rounds),
            }
        )


def seeded(who: Respondent, sources: int) -> np.random.Generator:
    """Return the generator of a respondent's rounds of one size."""
    return np.random.default_rng([SEED, sources, round(1_000 * who.false_refusal_rate)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4_000)
    parser.add_argument("--sources", type=int, nargs="+", default=[24, 50, 100, 300])
    parser.add_argument("--items-per-source", type=int, default=9)
    parser.add_argument("--apart", type=float, default=0.05, help="how much higher the other rate of a difference is")
    parser.add_argument("--limits", type=Limits, choices=list(Limits), help="of metrics; without it as they are shown")
    a = parser.parse_args()
    started = time.process_time()
    size = (a.items_per_source, a.rounds)
    tables = [coverage(respondent(rate), sources, *size, a.limits) for sources in a.sources for rate in RATES]
    if a.limits is None:
        tables += [
            coverage_of_differences(respondent(rate), sources, *size, a.apart)
            for sources in a.sources
            for rate in RATES
            if rate + a.apart < 1.0
        ]
    found = pd.concat(tables)
    for sources, part in found.groupby("sources", sort=False):
        wide = part.pivot(index="metric", columns="rate", values="coverage").loc[part["metric"].unique()]
        print(f"\n{sources} source questions, {a.items_per_source} items each: coverage in % by rate")
        print(wide.round(1).to_string())
    outside = found[~found["coverage"].between(LOWEST, HIGHEST)]
    print(f"\n{len(found)} coverages of {found['coverage'].min():.1f} to {found['coverage'].max():.1f} %, ", end="")
    inside = np.diff(bdtr([LOWEST * a.rounds / 100.0 - 1.0, HIGHEST * a.rounds / 100.0], a.rounds, 0.95))[0]
    print(f"mean {found['coverage'].mean():.2f}; outside {LOWEST} to {HIGHEST}: {len(outside)}, ", end="")
    print(f"of exact intervals {len(found) * (1.0 - inside):.2g} would be")
    if len(outside):
        print(outside.round(3).to_string(index=False))
    print(f"{a.rounds} rounds each, {time.process_time() - started:.0f} s of CPU")


if __name__ == "__main__":
    main()
