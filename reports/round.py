"""The report of a round: one self-contained page from its frames."""

from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from demur.reports import names, text
from demur.reports.calibration import diagrams
from demur.reports.compared import compared
from demur.reports.examples import examples
from demur.reports.frames import RoundFrames, RoundSummary
from demur.reports.gates import gates
from demur.reports.plots import intensity_curve
from demur.reports.rewards import behaviours
from demur.reports.standings import LEADERBOARD, Curve, standings
from demur.reports.trust import trust
from demur.reports.verified import verified
from demur.reports.worddiff import Change
from demur.reports.yields import yields

TEMPLATES: Final = Path(__file__).parent / "templates"

__all__ = ["RoundFrames", "RoundSummary", "render_round"]


def render_round(frames: RoundFrames) -> str:
    """Return a round's report as an HTML page that needs nothing else; the same frames give the same page.

    Raises:
        ReportError: if a frame with rows lacks a column.
    """
    given = frames.completed()
    summary = given.summary
    found = yields(given.strata, given.verifiers)
    planned = summary.get("responses_planned", found.total.items if found.total else summary["items"])
    how = standings(given.leaderboard, given.scores, given.confusion, planned, summary["rules_models"])
    page = (
        environment()
        .get_template("round.html")
        .render(
            summary=summary,
            roles=_roles(summary),
            all_rules=_all_rules(summary),
            yields=found,
            verified=verified(given.preference, given.agreement, given.stopping),
            standings=how,
            curves=[(curve, _curve(number, curve, how.intensities)) for number, curve in enumerate(how.curves)],
            compared=compared(
                given.pairs, given.codes, given.noise, given.difficulty, given.factors, given.associations
            ),
            examples=examples(given.examples),
            diagrams=diagrams(given.calibration),
            trust=trust(given.audits, given.audit_agreement, given.reach, given.drift),
            behaviours=behaviours(given.weights, given.fits, given.rewards),
            gates=gates(given.expectations, given.failures),
            leaderboard_metrics=LEADERBOARD,
            names=names,
            Change=Change,
        )
    )
    return str(page)


@cache
def environment() -> Environment:
    """Return the templates' environment: whatever they print is data unless a template wrote it as markup."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=text.as_data,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    shown = (text.percent, text.percent_interval, text.signed, text.count, text.small, names.spoken)
    found.filters.update({function.__name__: function for function in shown})
    found.filters["css"] = lambda number: f"{number:.2f}"
    found.globals["style"] = Markup((TEMPLATES / "page.css").read_text("utf-8"))
    return found


def _curve(number: int, curve: Curve, levels: tuple[str, ...]) -> Markup:
    return intensity_curve(f"curve-{number}", curve.respondent, levels, curve.scores)


def _roles(summary: RoundSummary) -> list[tuple[str, list[str]]]:
    return [
        ("Generators", list(summary["generators"])),
        ("Verifiers", list(summary["verifiers"])),
        ("Respondents", list(summary["respondents"])),
        ("Judges", list(summary["judges"])),
    ]


def _all_rules(summary: RoundSummary) -> bool:
    used = {model for _, models in _roles(summary) for model in models}
    return bool(used) and used <= set(summary["rules_models"])
