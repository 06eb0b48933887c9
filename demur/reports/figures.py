"""The figures that a report takes from frames: intensity curves, reliability diagrams, scores along a model's size."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
from markupsafe import Markup

from demur.reports.cells import Row, rows, score
from demur.reports.names import CONFIDENCE_PARTS, CONFIDENCES, in_order
from demur.reports.plots import information_curve, intensity_curve, reliability, scaling

SCALES: Final = {"parameters_billion": "Parameters, billions", "thinking_tokens": "Thinking budget, tokens"}


def curves(lines: Sequence[Row], levels: Sequence[str]) -> list[tuple[Row, Markup]]:
    """Return each line of refusal rates by intensity with its figure."""
    return [
        (line, intensity_curve(f"curve-{number}", line["respondent"], levels, line["scores"]))
        for number, line in enumerate(lines)
    ]


def diagrams(calibration: pd.DataFrame) -> list[Row]:
    """Return the diagrams of the respondents that stated any confidence, in the order of the frame.

    `levels` are the rows of the levels that were stated, by part of the responses, surest first.
    """
    found = rows(calibration)
    parts = in_order((row["part"] for row in found), CONFIDENCE_PARTS)
    stated = in_order((row["confidence"] for row in found), CONFIDENCES)
    whose = dict.fromkeys((row["respondent"], row["judge"]) for row in found)
    drawn = []
    for number, who in enumerate(whose):
        own = [row for row in found if (row["respondent"], row["judge"]) == who and row["responses"]]
        own.sort(key=lambda row: (parts.index(row["part"]), stated.index(row["confidence"])))
        points = [
            (
                row["midpoint"] or 0.0,
                score(row, "accuracy"),
                int(row["responses"]),
                _stated(row["confidence"]),
            )
            for row in own
            if row["part"] == "all"
        ]
        if points:
            figure = reliability(f"reliability-{number}", who[0], points)
            drawn.append({"respondent": who[0], "judge": who[1], "figure": figure, "levels": own})
    return drawn


def _stated(confidence: str) -> str:
    return CONFIDENCES.get(confidence, confidence)


def beyond_axis(information: pd.DataFrame, abilities: pd.DataFrame) -> list[str]:
    """Return the respondents whose abilities lie beyond the curves of information, with these abilities."""
    known = [row["ability"] for row in rows(information)]
    return [
        f"{row['respondent']} at {row['ability']:.2f}"
        for row in rows(abilities)
        if known and not min(known) <= row["ability"] <= max(known)
    ]


def information_curves(information: pd.DataFrame, abilities: pd.DataFrame) -> list[tuple[str, Markup]]:
    """Return, by judge, what all items tell along abilities, with the respondents' abilities below."""
    found = rows(information)
    whose = rows(abilities)
    return [
        (
            judge,
            information_curve(
                f"information-{number}",
                [(row["ability"], row["information"]) for row in found if row["judge"] == judge],
                [(row["respondent"], row["ability"]) for row in whose if row["judge"] == judge],
            ),
        )
        for number, judge in enumerate(dict.fromkeys(row["judge"] for row in found))
    ]


def scales(factors: pd.DataFrame) -> list[tuple[str, Markup]]:
    """Return calibrated refusal scores along each factor that is a number and differs between two respondents."""
    found = [row for row in rows(factors) if row["metric"] == "calibrated_refusal_score"]
    drawn = []
    for factor, label in SCALES.items():
        points = [(float(row[factor]), score(row), row["respondent"]) for row in found if row[factor] is not None]
        if len({at for at, _, _ in points}) > 1:
            logarithmic = factor == "parameters_billion"
            drawn.append((label, scaling(f"scale-{factor}", label, points, logarithmic=logarithmic)))
    return drawn
