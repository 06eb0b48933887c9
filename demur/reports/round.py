"""The report of a round: one self-contained page from its frames."""

from functools import cache
from typing import Final

from jinja2 import Environment
from markupsafe import Markup

from demur.reports import cells, text
from demur.reports.environment import TEMPLATES, environment_of
from demur.reports.examples import examples
from demur.reports.figures import beyond_axis, curves, diagrams, information_curves, scales
from demur.reports.frames import RoundFrames, RoundSummary
from demur.reports.rewards import behaviours, place
from demur.reports.standings import LEADERBOARD, standings
from demur.reports.yields import yields

ROLES: Final = ("generators", "verifiers", "respondents", "judges")
PLAIN: Final = (
    "preference", "agreement", "stopping", "expectations", "failures", "pairs", "noise", "codes", "difficulty",
    "associations", "audits", "audit_agreement", "precision", "drift", "abilities", "saturation", "saturated",
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
        information=information_curves(given.information, given.abilities),
        abilities_beyond=beyond_axis(given.information, given.abilities),
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
