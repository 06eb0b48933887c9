"""The report of a round as a self-contained page, or as a page of the explorer."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demur.reports.pages.rendering import render
from demur.reports.reference_figures import Reference
from demur.reports.round_report import overview, topics
from demur.reports.tables import ShownTable, named_table
from demur.reports.texts import Row
from demur.warehouse.transactions import Connection


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """Facts of a report that are not in its tables.

    `recorded` has the models with recorded replies. `said` has `audit` and `calibration` of the release. `behaviours`
    has the rows of `reward_results.behaviours`. `references` has figures that others reported.
    """

    title: str
    release: str = ""
    date: str = ""
    corpus: str = ""
    demur: str = ""
    recorded: Sequence[Mapping[str, Any]] = ()
    said: Mapping[str, Any] | None = None
    behaviours: Sequence[Row] = ()
    references: Sequence[Reference] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The data of a report: named tables and facts. The same data give the same page."""

    round_id: str
    facts: ReportFacts
    tables: Mapping[str, ShownTable]


def read_report(con: Connection, round_id: str, facts: ReportFacts, filled: Collection[str] | None = None) -> Report:
    """Read the tables of a round's report. If `filled` is not None, tables with other names are empty and not read."""
    wanted = dict.fromkeys((*overview.TABLES, *topics.TABLES))
    tables = {
        name: named_table(name).read(con, round=round_id)
        if filled is None or name in filled
        else named_table(name).shown(())
        for name in wanted
    }
    return Report(round_id, facts, tables)


def render_report(report: Report) -> str:
    """Return the self-contained HTML page of a report."""
    return render("report", **report_context(report))


def report_context(report: Report) -> dict[str, Any]:
    """Return the values of the report template."""
    facts = report.facts
    tables = report.tables
    return {
        "page": "results",
        "round": report.round_id,
        "facts": facts,
        "view": overview.overview_of(tables, facts.recorded, facts.said),
        "topics": [one for one in topics.TOPICS if one.has_something(tables)],
        "without": [one.title for one in topics.TOPICS if not one.has_something(tables)],
        "tables": tables,
        "figures": {one.name: list(one.figures(tables)) for one in topics.TOPICS if one.figures is not None},
        "shaded": topics.SHADED,
        "matrices": topics.confusions(tables["confusion"]),
        "examples": topics.strata_examples(tables["telling_items"].records),
        "behaviours": facts.behaviours,
    }
