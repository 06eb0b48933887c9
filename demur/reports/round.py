"""The report of a round: one self-contained page from its frames."""

from collections.abc import Sequence
from functools import cache
from typing import Final

import pandas as pd
from jinja2 import Environment
from markupsafe import Markup

from demur.reports import cells, text
from demur.reports.cells import Row, rows, score
from demur.reports.environment import TEMPLATES, environment_of
from demur.reports.examples import examples
from demur.reports.frames import RoundFrames, RoundSummary
from demur.reports.names import CLASSES, CONFIDENCE_PARTS, CONFIDENCES, INTENSITIES, in_order
from demur.reports.plots import intensity_curve, reliability, scaling
from demur.reports.rewards import behaviours, place
from demur.reports.standings import LEADERBOARD, standings

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


COUNTS: Final = ("asked", "candidates", "accepted", "items", "declined", "rejected", "duplicates", "wanted")
_VERDICTS: Final = ["verdicts", "passes", "inconsistent"]


def yields(strata: pd.DataFrame, verifiers: pd.DataFrame) -> Row:
    """Return what the sections on yield show.

    `strata` are the counts by class and intensity with what they are `short`; `funnel` has a row of counts for each
    class with what `failed`, and `total` one for all, None without strata; `verdicts` are counts by verifier and
    generator, and those of all its candidates under the generator None.
    """
    counts = strata.assign(**{name: strata[name].fillna(0).astype(int) for name in COUNTS})
    counts["short"] = (counts["wanted"] - counts["items"]).clip(lower=0)
    cells = {(row["class"], row["intensity"]): row for row in rows(counts)}
    classes = in_order(counts["class"], CLASSES)
    given = verifiers.assign(**{name: verifiers[name].fillna(0).astype(int) for name in _VERDICTS})
    everything = pd.concat([given, given.assign(generator=None)])
    summed = everything.groupby(["verifier", "generator"], dropna=False)[_VERDICTS].sum().reset_index()
    return {
        "classes": classes,
        "intensities": in_order(counts["intensity"], INTENSITIES),
        "strata": cells,
        "filled": sum(not cell["short"] for cell in cells.values()),
        "funnel": [_funnel(CLASSES.get(name, name), counts[counts["class"] == name]) for name in classes],
        "total": _funnel("All classes", counts) if cells else None,
        "verifiers": sorted(set(given["verifier"])),
        "generators": sorted(set(given["generator"])),
        "verdicts": {(row["verifier"], row["generator"]): row for row in rows(summed)},
    }


def _funnel(name: str, counts: pd.DataFrame) -> Row:
    summed = {step: int(counts[step].sum()) for step in COUNTS}
    ended = sum(summed[step] for step in ("declined", "rejected", "duplicates", "candidates"))
    return {"name": name, **summed, "failed": max(0, summed["asked"] - ended)}


ROLES: Final = ("generators", "verifiers", "respondents", "judges")
PLAIN: Final = (
    "preference", "agreement", "stopping", "expectations", "failures", "pairs", "noise", "codes", "difficulty",
    "associations", "audits", "audit_agreement", "precision", "drift", "saturation", "saturated",
)  # fmt: skip
"""Frames whose rows a template shows as they are."""

__all__ = ["RoundFrames", "RoundSummary", "render_round"]


def render_round(frames: RoundFrames) -> str:
    """Return a round's report as an HTML page that needs nothing else; the same frames give the same page.

    Raises:
        ReportError: if a frame with rows lacks a column.
    """
    given = frames.completed()
    summary = given.summary
    found = yields(given.strata, given.verifiers)
    planned = summary.get("responses_planned", found["total"]["items"] if found["total"] else summary["items"])
    how = standings(given.leaderboard, given.scores, given.confusion, planned)
    return rendered(
        "round",
        summary=summary,
        all_rules=_all_rules(summary),
        yields=found,
        standings=how,
        curves=curves(how["curves"], how["intensities"]),
        scales=scales(given.factors),
        examples=examples(given.examples),
        diagrams=diagrams(given.calibration),
        behaviours=behaviours(given.weights, given.fits, given.rewards),
        **{name: cells.rows(getattr(given, name)) for name in PLAIN},
    )


def rendered(template: str, **values: object) -> str:
    """Return a page of reports."""
    return environment().get_template(f"{template}.html").render(**values)


@cache
def environment() -> Environment:
    """Return the environment of the templates of reports."""
    found = environment_of(filters=(text.percent_interval, cells.arranged, cells.score, place))
    found.filters["css"] = lambda number: f"{number:.2f}"
    found.globals.update(
        style=Markup((TEMPLATES / "page.css").read_text("utf-8")),
        roles=ROLES,
        leaderboard_metrics=LEADERBOARD,
    )
    return found


def _all_rules(summary: RoundSummary) -> bool:
    used = {*summary["generators"], *summary["verifiers"], *summary["respondents"], *summary["judges"]}
    return bool(used) and used <= set(summary["rules_models"])
