"""The page of boards: scores of evaluations that can be compared, each board for itself, with its history."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
from markupsafe import Markup

from demur.reports.cells import Row, Score, rows, score
from demur.reports.names import CODES, INTENSITIES, METRICS, in_order
from demur.reports.plots import intensity_curve, scatter, timeline
from demur.reports.round import rendered

HEADLINE: Final = "calibrated_refusal_score"
COLUMNS: Final = (
    "answer_accuracy", "refusal_accuracy", "detection_f1", "category_accuracy", "hierarchical_refusal_score",
    "false_refusal_rate", "missed_refusal_rate", "invalid_rate",
)  # fmt: skip
ASKED_FOR: Final = (
    "ece",
    "eligibility",
    "factuality_all",
    "factuality_relevant",
    "raf_attempts",
)
"""Columns of boards whose respondents have them: stated confidence, several documents."""
SCATTERS: Final = (("answer_accuracy", "refusal_accuracy"), ("detection_f1", "category_accuracy"))
RULES: Final = "rules"


@dataclass(frozen=True, slots=True)
class Board:
    """Scores that have release, prompts, judge and definitions of metrics in common.

    `probes` are models that its items were chosen by, which are never scored. `differs` says in what it differs from
    the first board of its page. Frames: `entries` one row per respondent, `scores` per respondent and metric, `curves`
    per respondent and intensity, `confusion` per respondent, expected and given code, `contrasts` per pair of a family
    and metric, `domains` per domain and part, `history` per respondent and evaluation.
    """

    board_id: str
    release: str
    release_digest: str
    prompts: str
    judge: str
    metrics_version: str
    layout: str
    audit: str
    calibration: str
    probes: Sequence[str]
    differs: Sequence[str]
    entries: pd.DataFrame
    scores: pd.DataFrame
    curves: pd.DataFrame
    confusion: pd.DataFrame
    contrasts: pd.DataFrame
    domains: pd.DataFrame
    history: pd.DataFrame

    def columns(self) -> list[str]:
        """Return the metrics that the board shows beside the headline."""
        valued = set(self.scores.loc[self.scores["value"].notna(), "metric"])
        return [*COLUMNS, *(name for name in ASKED_FOR if name in valued)]

    def standings(self) -> list[Row]:
        """Return the respondents, best first, each with its `headline` and `cells` in the order of `columns`."""
        found: dict[str, dict[str, Score]] = defaultdict(dict)
        for row in rows(self.scores):
            found[row["respondent"]][row["metric"]] = score(row)
        if self.layout == "multi":
            for own in found.values():
                own["answer_accuracy"] = own.get("answer_quality", own["answer_accuracy"])
        nothing = Score(None, reason="not scored")
        entries = [
            {
                **entry,
                "headline": found[entry["respondent"]].get(HEADLINE, nothing),
                "cells": [found[entry["respondent"]].get(name, nothing) for name in self.columns()],
                "by_name": found[entry["respondent"]],
            }
            for entry in rows(self.entries)
        ]
        entries.sort(key=lambda entry: (-(entry["headline"].value or -1.0), entry["respondent"]))
        return [{**entry, "place": place} for place, entry in enumerate(entries, start=1)]


def render_boards(boards: Sequence[Board], title: str) -> str:
    """Return boards as an HTML page that needs nothing else."""
    shown = [_shown(board, f"board-{number}") for number, board in enumerate(boards)]
    return rendered("boards", title=title, boards=shown, metrics=METRICS)


def _shown(board: Board, name: str) -> Row:
    standings = board.standings()
    models = [row["respondent"] for row in standings if row["provider"] != RULES] or [
        row["respondent"] for row in standings
    ]
    return {
        "board": board,
        "name": name,
        "columns": board.columns(),
        "rows": standings,
        "incomplete": [row for row in standings if row["state"] != "complete"],
        "scatters": [_scatter(f"{name}-{across}", across, up, standings) for across, up in SCATTERS],
        "curves": _curves(board, name, standings),
        "confusion": _average_confusion(board, models),
        "models": models,
        "contrasts": rows(board.contrasts),
        "domains": _domains(board),
        "history": _lines(board.history, name),
    }


def _scatter(name: str, across: str, up: str, standings: Sequence[Row]) -> tuple[str, str, Markup] | None:
    points = [
        (row["by_name"][across], row["by_name"][up], row["place"], row["respondent"])
        for row in standings
        if {across, up} <= row["by_name"].keys()
    ]
    points = [point for point in points if point[0].value is not None and point[1].value is not None]
    return (across, up, scatter(name, METRICS[across], METRICS[up], points)) if points else None


def _curves(board: Board, name: str, standings: Sequence[Row]) -> list[tuple[Row, Markup]]:
    found: dict[str, dict[str, Score]] = defaultdict(dict)
    for row in rows(board.curves):
        found[row["respondent"]][row["intensity"]] = score(row)
    levels = list(INTENSITIES)
    return [
        (
            row,
            intensity_curve(
                f"{name}-curve-{row['place']}",
                row["respondent"],
                list(INTENSITIES.values()),
                [found[row["respondent"]].get(level, Score(None)) for level in levels],
            ),
        )
        for row in standings
        if row["respondent"] in found
    ]


def _average_confusion(board: Board, models: Sequence[str]) -> Row:
    """Return the mean over models of the shares of each expected code's responses that were judged to be each code."""
    found = [row for row in rows(board.confusion) if row["respondent"] in models]
    predicted = in_order((row["predicted"] for row in found), CODES)
    totals: Counter[tuple[str, str]] = Counter()
    for row in found:
        totals[row["respondent"], row["expected"]] += row["responses"]
    answering: dict[str, set[str]] = defaultdict(set)
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    for row in found:
        answering[row["expected"]].add(row["respondent"])
        shares[row["expected"]][row["predicted"]] += row["responses"] / totals[row["respondent"], row["expected"]]
    right = {"ANSWER_CORRECTLY": "ANSWER_ATTEMPT"}
    return {
        "predicted": [CODES.get(code, code) for code in predicted],
        "rows": [
            {
                "expected": CODES.get(expected, expected),
                "shares": [shares[expected][code] / len(answering[expected]) for code in predicted],
                "hit": predicted.index(hit) if (hit := right.get(expected, expected)) in predicted else None,
            }
            for expected in in_order(shares, CODES)
        ],
    }


def _domains(board: Board) -> list[Row]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in rows(board.domains):
        found[row["domain"]][row["part"]] = {"score": score(row, "difficulty"), "items": row["items"]}
    return [{"domain": domain, **parts} for domain, parts in sorted(found.items())]


def _lines(history: pd.DataFrame, name: str) -> list[Row]:
    """Return the respondents that were evaluated often enough, with their scores, the oldest first, and a figure."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows(history):
        found[row["respondent"]].append({**row, "score": score(row)})
    return [
        {
            "respondent": respondent,
            "scores": own,
            "figure": timeline(f"{name}-history-{number}", respondent, [row["score"] for row in own]),
        }
        for number, (respondent, own) in enumerate(found.items())
        if len(own) > 1
    ]
