"""Whether two benchmarks put the same respondents in the same order, and how far apart.

    python benchmarks/validity.py --first embedded --second embedded-several --prompts published

A side is one or more rounds of a home: rounds, evaluations of a release (`demur rounds` names them) or imported
responses. Respondents of both sides are compared by their calibrated refusal scores. The second table has each
respondent's distance to the next one of the first side, and whether the second side has the same order: "same" or
"opposite" where the intervals of both sides are apart, else "open". The last line counts all pairs so. Few respondents
give an ordering and no correlation.
"""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
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
    """Read the scores of both sides and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", nargs="+", required=True, metavar="ROUND")
    parser.add_argument("--second", nargs="+", required=True, metavar="ROUND")
    parser.add_argument("--prompts", choices=("published", "ours"), help="leave out responses to the other prompts")
    parser.add_argument("--home", help="home of the rounds; default: DEMUR_HOME")
    given = parser.parse_args()
    results = demur.open(given.home)
    sides = [scores(results, rounds, given.prompts) for rounds in (given.first, given.second)]
    if len(sides[0].keys() & sides[1].keys()) < 2:
        parser.error(f"fewer than two respondents of {sorted(sides[0])} are among {sorted(sides[1])}")
    print(report([" ".join(given.first), " ".join(given.second)], *sides))


def scores(results: demur.Results, rounds: Sequence[str], prompts: str | None) -> dict[str, Score]:
    """Return the scores by respondent, of the first round that has one, and there of the first judge.

    Respondents by rule read no prompts, so their scores have the set `published` too.
    """
    found: dict[str, Score] = {}
    for round_id in rounds:
        board = results.leaderboard(round_id).dropna(subset=["crs_low"])
        for row in board.to_dict("records"):
            if prompts in (None, row["prompts"]):
                score = Score(row["calibrated_refusal_score"], row["crs_low"], row["crs_high"])
                found.setdefault(row["respondent"], score)
    return found


def report(sides: Sequence[str], first: Mapping[str, Score], second: Mapping[str, Score]) -> str:
    """Return both tables in Markdown; respondents in the order of the first side."""
    names = sorted(first.keys() & second.keys(), key=lambda name: -first[name].value)
    lines = [f"| respondent | {sides[0]} | {sides[1]} |", "|---|---|---|"]
    for name in names:
        cells = (f"{100 * s.value:.1f} ({100 * s.low:.1f} to {100 * s.high:.1f})" for s in (first[name], second[name]))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", f"| points from one to the next | {sides[0]} | {sides[1]} | order |", "|---|---:|---:|---|"]
    for one, other in pairwise(names):
        apart = (f"{100 * (side[one].value - side[other].value):.1f}" for side in (first, second))
        lines.append(f"| {one} - {other} | {' | '.join(apart)} | {compared(first, second, (one, other))} |")
    pairs = Counter(compared(first, second, pair) for pair in combinations(names, 2))
    lines += ["", f"Pairs of respondents: {pairs['same']} same, {pairs['opposite']} opposite, {pairs['open']} open"]
    return "\n".join(lines)


def compared(first: Mapping[str, Score], second: Mapping[str, Score], pair: tuple[str, str]) -> str:
    """Return whether both sides order two respondents alike, if both tell them apart."""
    one, other = pair
    order = first[one].beside(first[other]) * second[one].beside(second[other])
    return {1: "same", -1: "opposite", 0: "open"}[order]


if __name__ == "__main__":
    main()
