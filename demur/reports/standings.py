"""How the respondents did: leaderboard, kinds of response, scores by class and intensity, confusion matrices."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import pandas as pd

from demur.reports.cells import Row, Score, rows, score
from demur.reports.names import CLASSES, CODES, INTENSITIES, KINDS, in_order

LEADERBOARD: Final = (
    "answer_accuracy",
    "refusal_accuracy",
    "false_refusal_rate",
    "missed_refusal_rate",
    "control_refusal_rate",
    "invalid_rate",
)
_MEMORY: Final = ("known", "unknown")
_NOT_SCORED: Final = Score(None, reason="not scored")

Cell = tuple[str, str, str]
"""A slice, its value and a metric."""
_OVERALL: Final = ("overall", "overall")


class ScoreLookup:
    """The scores of a round, found by respondent, judge, slice and metric."""

    def __init__(self, frame: pd.DataFrame) -> None:
        found = rows(frame)
        self._found = {
            (row["respondent"], row["judge"], row["slice"], row["slice_value"], row["metric"]): score(row)
            for row in found
        }
        self._slices = [(row["slice"], row["slice_value"]) for row in found]
        self.judged = [(row["respondent"], row["judge"]) for row in found]

    def get(self, who: Row, cell: Cell) -> Score:
        """Return a score of who stands in a row; one without a value where the round has none."""
        return self._found.get((who["respondent"], who["judge"], *cell), _NOT_SCORED)

    def values(self, slice_: str) -> list[str]:
        """Return the values of a slice, as they come."""
        return [value for name, value in self._slices if name == slice_]


def standings(leaderboard: pd.DataFrame, scores: pd.DataFrame, confusion: pd.DataFrame, planned: int) -> Row:
    """Return what the sections on respondents show; `planned` is how many responses each was asked for.

    Rows of `board` are those of the leaderboard with their `headline`, `cells` (in the order of
    LEADERBOARD) and whether they are `incomplete`; those of `kinds`, `pairs`, `memory`, `by_class`, `curves` and
    `refusals` have a respondent's `scores`.
    """
    found = ScoreLookup(scores)
    board = [_standing(row, found, planned) for row in rows(leaderboard)]
    whose = [(row["respondent"], row["judge"]) for row in board] + found.judged
    everybody: list[Row] = [{"respondent": who, "judge": judge} for who, judge in dict.fromkeys(whose)]
    classes = in_order(found.values("class"), CLASSES)
    levels = in_order(found.values("intensity"), INTENSITIES)

    def lines(cells: Iterable[Cell]) -> list[Row]:
        wanted = list(cells)
        return [{**who, "scores": [found.get(who, cell) for cell in wanted]} for who in everybody]

    return {
        "board": board,
        "best": _best(board),
        "partial": _partial(board),
        "several_judges": len({who["judge"] for who in everybody}) > 1,
        "pairs": _scored(lines([("near pairs", "overall", "both_right")])),
        "memory": _scored(lines(("memory", name, "missed_refusal_rate") for name in _MEMORY)),
        "kinds": _scored(lines((*_OVERALL, f"share_{kind}") for kind in KINDS)),
        "classes": [CLASSES.get(name, name) for name in classes],
        "by_class": lines(("class", name, "refusal_accuracy") for name in classes),
        "intensities": [INTENSITIES.get(level, level) for level in levels],
        "curves": _scored(lines(("intensity", level, "refusal_rate") for level in levels)),
        "refusals": lines(
            ("class, intensity", f"{name}, {level}", "refusal_rate") for name in classes for level in levels
        ),
        "confusions": confusions(confusion, everybody),
    }


def _best(board: Sequence[Row]) -> Row | None:
    """Return the row with the highest headline; all respondents that share it are named."""
    scored = [row for row in board if row["headline"].value is not None]
    if not scored:
        return None
    best = max(scored, key=lambda row: float(row["headline"].value))
    equal = [row for row in scored if row["headline"].value == best["headline"].value]
    names = dict.fromkeys(str(row["respondent"]) for row in equal)
    return {**best, "respondent": ", ".join(names), "incomplete": any(row["incomplete"] for row in equal)}


def _scored(lines: list[Row]) -> list[Row]:
    return [line for line in lines if any(it.value is not None for it in line["scores"])]


def _partial(board: Sequence[Row]) -> tuple[int, int] | None:
    """Responses judged and planned over all lines, where any are missing."""
    if not any(row["incomplete"] for row in board):
        return None
    return sum(row["judged"] for row in board), sum(row["planned"] for row in board)


def _standing(row: Row, scores: ScoreLookup, planned: int) -> Row:
    headline = scores.get(row, (*_OVERALL, "calibrated_refusal_score"))
    responses = row["responses"] or 0
    judged = responses if row["judged"] is None else row["judged"]
    asked = planned if row["planned"] is None else row["planned"]
    return {
        **row,
        "responses": responses,
        "judged": judged,
        "planned": asked,
        "incomplete": judged < asked,
        "headline": Score(row["calibrated_refusal_score"], row["crs_low"], row["crs_high"], headline.reason),
        "cells": [_cell(metric, row, scores) for metric in LEADERBOARD],
    }


def _cell(metric: str, row: Row, scores: ScoreLookup) -> Score:
    """Take the value from the leaderboard, and interval and reason from the scores that it was made from."""
    if metric == "control_refusal_rate":
        found = scores.get(row, ("kind", "control", "false_refusal_rate"))
    else:
        found = scores.get(row, (*_OVERALL, metric))
        quality = scores.get(row, (*_OVERALL, "answer_quality"))
        if metric == "answer_accuracy" and quality.value is not None:
            found = quality
    return Score(row[metric], found.low, found.high, found.reason)


def confusions(frame: pd.DataFrame, order: Sequence[Row]) -> Row:
    """Return the matrices of the respondents and judges in `order`, then of others as they come.

    A row of a matrix has what was expected, the responses by what they were judged to be (in the order of `predicted`)
    and the column that is right.
    """
    found = rows(frame)
    predicted = in_order((row["predicted"] for row in found), CODES)
    counts: dict[tuple[str, str], dict[str, Counter[str]]] = {}
    for row in found:
        matrix = counts.setdefault((row["respondent"], row["judge"]), {})
        matrix.setdefault(row["expected"], Counter())[row["predicted"]] += int(row["responses"])
    whose = [(who["respondent"], who["judge"]) for who in order]
    known = [who for who in whose if who in counts] + [who for who in counts if who not in whose]
    matrices = [{"respondent": who[0], "judge": who[1], "rows": _matrix(counts[who], predicted)} for who in known]
    return {"predicted": [CODES.get(code, code) for code in predicted], "matrices": matrices}


def _matrix(counts: Mapping[str, Counter[str]], predicted: Sequence[str]) -> list[Row]:
    right = {"ANSWER_CORRECTLY": "ANSWER_ATTEMPT"}
    return [
        {
            "expected": CODES.get(expected, expected),
            "responses": [counts[expected][code] for code in predicted],
            "total": counts[expected].total(),
            "hit": predicted.index(hit) if (hit := right.get(expected, expected)) in predicted else None,
        }
        for expected in in_order(counts, CODES)
    ]
