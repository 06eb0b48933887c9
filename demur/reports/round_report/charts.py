"""The charts of a report, from rows of named tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from markupsafe import Markup

from demur.reports import names
from demur.reports.pages.svg_charts import HALVES, Axis, Line, Mark, chart, in_words
from demur.reports.tables import ShownTable
from demur.reports.tables.formats import CellKind, rate, with_interval

SHARES: Final = Axis(ticks=HALVES)
SCALES: Final = {"parameters_billion": "Parameters, billions", "thinking_tokens": "Thinking budget, tokens"}
LEVELS: Final = (("LOW", "low"), ("MEDIUM", "medium"), ("HIGH", "high"))
IDEAL: Final = Line(((0, 0), (1, 1), (2, 1)), "guide")
"""Refusals by intensity of a perfect respondent."""

Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its heading."""

    caption: str
    drawing: Markup


def levels_axis() -> Axis:
    """Return an axis with the three intensities at the values 0, 1 and 2."""
    return Axis(-0.35, 2.35, [(at, names.INTENSITIES[level]) for at, (level, _) in enumerate(LEVELS)])


def share_mark(x: float, row: Mapping[str, Any], value: str, low: str, high: str, description: str, **how: Any) -> Mark:
    """Return a mark for the share in a row's column `value`, with the interval of columns `low` and `high`."""
    said = f"{description} {with_interval(rate(row[value]), row[low], row[high], CellKind.RATE)}"
    return Mark(x, row[value], said, up=interval_of(row[low], row[high]), **how)


def intensity_curves(tables: Mapping[str, ShownTable]) -> Iterator[Figure]:
    """Yield a chart of refusals by intensity for each respondent."""
    for row in tables["intensities"].records:
        yield Figure(_whose(row, tables["intensities"]), intensity_curve(row["respondent"], row))


def intensity_curve(respondent: str, row: Mapping[str, Any]) -> Markup:
    """Return the chart of a respondent's refusals by intensity.

    `row` has the columns `LEVEL_rate`, `LEVEL_low` and `LEVEL_high` for the levels low, medium and high.
    """
    marks = [
        share_mark(at, row, f"{level}_rate", f"{level}_low", f"{level}_high", names.INTENSITIES[key])
        for at, (key, level) in enumerate(LEVELS)
        if row.get(f"{level}_rate") is not None
    ]
    description = in_words(f"Refusal rate of {respondent} by intensity", marks)
    return _curve(description, levels_axis(), marks, [IDEAL])


def reliability_diagrams(tables: Mapping[str, ShownTable]) -> Iterator[Figure]:
    """Yield a chart of accuracy by stated confidence for each respondent. Larger points stand for more responses."""
    stated = [row for row in tables["calibration"].records if row["part"] == "all" and row["responses"]]
    axis = Axis(ticks=HALVES, title="stated confidence")
    for _, group in groupby(stated, lambda row: (row["respondent"], row["judge"])):
        rows = [row for row in group if row["accuracy"] is not None]
        most = max((row["responses"] for row in rows), default=1)
        marks = [
            share_mark(
                row["midpoint"] or 0.0, row, "accuracy", "low", "high",
                f"{names.CONFIDENCES.get(row['confidence'], row['confidence'])} ({rate(row['midpoint'])}):",
                radius=3.5 + 5 * (row["responses"] / most) ** 0.5,
            )
            for row in rows
        ]  # fmt: skip
        if marks:
            description = in_words(f"Accuracy of {rows[0]['respondent']} by stated confidence", marks)
            ideal = Line(((0, 0), (1, 1)), "guide")
            drawing = chart(description, axis, SHARES, marks, [ideal], size=(250, 200))
            yield Figure(_whose(rows[0], tables["calibration"]), drawing)


def scales(tables: Mapping[str, ShownTable]) -> Iterator[Figure]:
    """Yield a chart of scores by each property in SCALES. A property with one value for all models has no chart."""
    rows = [row for row in tables["factors"].records if row["metric"] == "calibrated_refusal_score"]
    for factor, label in SCALES.items():
        known = [row for row in rows if row[factor] is not None and row["value"] is not None]
        places = sorted({float(row[factor]) for row in known})
        if len(places) < 2:
            continue
        logarithmic = factor == "parameters_billion"
        margin = (places[-1] - places[0]) / 8
        ends = (places[0] / 1.6, places[-1] * 1.6) if logarithmic else (places[0] - margin, places[-1] + margin)
        x = Axis(*ends, [(at, f"{at:g}") for at in (places[0], places[-1])], label.lower(), logarithmic)
        marks = [
            share_mark(float(row[factor]), row, "value", "low", "high", f"{row['respondent']} at {row[factor]:g}:")
            for row in known
        ]
        description = in_words(f"Score by {label.lower()}", marks)
        yield Figure(f"Score by {label.lower()}", _curve(description, x, marks))


def timeline(respondent: str, rows: Records) -> Markup:
    """Return the chart of a respondent's scores with intervals, in the order of `rows`."""
    x = Axis(-0.5, len(rows) - 0.5, [(at, str(at + 1)) for at in range(len(rows))])
    marks = [
        share_mark(at, row, "value", "low", "high", f"{at + 1}:")
        for at, row in enumerate(rows)
        if row["value"] is not None
    ]
    description = in_words(f"Scores of {respondent}, the oldest first", marks)
    return _curve(description, x, marks)


def _curve(description: str, x: Axis, marks: Sequence[Mark], lines: Iterable[Line] = ()) -> Markup:
    return chart(description, x, SHARES, marks, [*lines, Line([(mark.x, mark.y) for mark in marks])])


def interval_of(low: float | None, high: float | None) -> tuple[float, float] | None:
    """Return the interval, or None if one end is unknown."""
    return None if low is None or high is None else (low, high)


def _whose(row: Mapping[str, Any], table: ShownTable) -> str:
    several = len({one["judge"] for one in table.records}) > 1
    return f"{row['respondent']}, judged by {row['judge']}" if several else str(row["respondent"])
