"""Stated confidence against what became of it: one reliability diagram per respondent."""

from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from demur.reports.frames import records
from demur.reports.names import CONFIDENCE_PARTS, CONFIDENCES, in_order
from demur.reports.plots import reliability
from demur.reports.standings import Score
from demur.reports.text import is_known, plain


@dataclass(frozen=True, slots=True)
class Level:
    """The responses given with one verbal level; `midpoint` is what the level stands for, in [0, 1]."""

    name: str
    midpoint: float
    responses: int
    accuracy: Score


@dataclass(frozen=True, slots=True)
class Diagram:
    """One respondent's levels, surest first, by part of its responses, and the figure of all of them."""

    respondent: str
    judge: str
    parts: tuple[tuple[str, tuple[Level, ...]], ...]
    figure: Markup


def diagrams(frame: pd.DataFrame) -> tuple[Diagram, ...]:
    """Return the diagrams of the respondents that stated any confidence, in the order of the frame."""
    whose = list(dict.fromkeys((str(row["respondent"]), str(row["judge"])) for row in records(frame)))
    found = [_diagram(frame, *who, number) for number, who in enumerate(whose)]
    return tuple(diagram for diagram in found if diagram is not None)


def _diagram(frame: pd.DataFrame, respondent: str, judge: str, number: int) -> Diagram | None:
    own = frame[(frame["respondent"] == respondent) & (frame["judge"] == judge)]
    parts = [(part, _levels(own[own["part"] == part])) for part in in_order(own["part"].astype(str), CONFIDENCE_PARTS)]
    whole = next((levels for part, levels in parts if part == "all"), ())
    if not any(level.responses for level in whole):
        return None
    points = [(level.midpoint, level.accuracy, level.responses, level.name) for level in whole if level.responses]
    figure = reliability(f"reliability-{number}", respondent, points)
    named = tuple((CONFIDENCE_PARTS.get(part, part), levels) for part, levels in parts)
    return Diagram(respondent, judge, named, figure)


def _levels(rows: pd.DataFrame) -> tuple[Level, ...]:
    found = {str(row["confidence"]): row for row in records(rows)}
    return tuple(_level(CONFIDENCES.get(name, name), found[name]) for name in in_order(found, CONFIDENCES))


def _level(name: str, row: dict[str, object]) -> Level:
    responses = int(_number(row["responses"]) or 0)
    accuracy = Score(
        _number(row["accuracy"]), _number(row["low"]), _number(row["high"]), responses, plain(row["reason"])
    )
    return Level(name, _number(row["midpoint"]) or 0.0, responses, accuracy)


def _number(value: object) -> float | None:
    return float(value) if is_known(value) else None
