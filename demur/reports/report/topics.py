"""The folded sections below the four answers, with their tables and charts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from demur.reports import names
from demur.reports.pages.compared import beside, compared, passages
from demur.reports.report.figures import (
    Figure,
    intensity_curves,
    reliability_diagrams,
    scales,
)
from demur.reports.tables import ShownTable

Tables = Mapping[str, ShownTable]


@dataclass(frozen=True, slots=True)
class ReportTopic:
    """One section. `tables` are the names of its tables, `figures` returns its charts, and `template` is optional."""

    name: str
    title: str
    tables: tuple[str, ...] = ()
    figures: Callable[[Tables], Iterator[Figure]] | None = None
    template: str = ""
    hidden: tuple[str, ...] = ()
    """Names of tables that only charts and templates use."""

    def has_something(self, tables: Tables) -> bool:
        """Return whether the section has no tables, or at least one table with rows."""
        names = (*self.tables, *self.hidden)
        return not names or any(tables[name].rows for name in names)


TOPICS: Final = (
    ReportTopic("leaderboard", "All scores and their precision",
          ("leaderboard", "uncontested_scores", "kinds", "language_scores", "known", "precision")),
    ReportTopic("curves", "Refusals by strength of the defect, expected and given replies",
          ("intensities",), intensity_curves, template="matrices.html", hidden=("confusion",)),
    ReportTopic("compared", "Who differs from whom, and by how much judges move scores",
          ("pairs", "noise", "judge_agreement", "codes", "drift", "associations"), scales, hidden=("factors",)),
    ReportTopic("hardness", "What is hard, and whether there is room for better ones",
          ("saturated", "saturation", "hardness_scores", "hardest_levers", "domains")),
    ReportTopic("calibration", "Whether stated confidence can be trusted", ("calibration",), reliability_diagrams),
    ReportTopic("documents", "How questions were made of documents",
          ("asking_documents", "asking_kinds", "asking_reasons")),
    ReportTopic("funnel", "How items were made, and what was lost on the way",
          ("corpus_rows", "strata", "languages", "rejection_reasons", "near_copies", "change_places")),
    ReportTopic("verified", "Checks by verifiers",
          ("verifiers", "key_agreement", "agreement", "preference", "verification_cost")),
    ReportTopic("audit", "Items checked by people", ("audit_rates", "audit_agreement")),
    ReportTopic("examples", "Examples: one item of each kind and strength of defect", template="examples.html",
          hidden=("telling_items",)),
    ReportTopic("rewards", "Rewards for training on refusals", ("fits",), template="rewards.html",
          hidden=("weights",)),
    ReportTopic("costs", "What it cost, what was checked automatically, warnings and failures",
          ("costs_by_stage", "warnings", "failures", "expectations")),
    ReportTopic("metrics", "What the words and metrics mean", template="meanings.html"),
)  # fmt: skip
SHADED: Final = {"intensities": ("low_rate", "medium_rate", "high_rate"), "kinds": tuple(names.KINDS)}
"""Columns of shares with shaded cells, by table."""
TABLES: Final = tuple(name for topic in TOPICS for name in (*topic.tables, *topic.hidden))


def confusions(table: ShownTable) -> list[dict[str, Any]]:
    """Return one confusion matrix per respondent and judge: counts by expected code and code of the response."""
    found: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for row in table.records:
        cells = found.setdefault((row["respondent"], row["judge"]), {})
        cells[row["expected"], row["predicted"]] = row["responses"]
    codes = codes_of(table.records)
    return [{"respondent": who[0], "judge": who[1], "cells": cells, "codes": codes} for who, cells in found.items()]


def codes_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the distinct expected codes and the distinct codes of responses (`given`), in the order of pages."""
    known = list(rows)
    return {
        "expected": names.in_order((row["expected"] for row in known), names.CODES),
        "given": names.in_order((row["predicted"] for row in known), names.CODES),
    }


def strata_examples(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the first item of each stratum, compared with its original."""
    first: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        first.setdefault((row["class"], row["intensity"]), row)
    classes = names.in_order((lever_class for lever_class, _ in first), names.CLASSES)
    levels = names.in_order((level for _, level in first), names.INTENSITIES)
    wanted = [(lever_class, level) for lever_class in classes for level in levels]
    return [_beside_original(first[stratum]) for stratum in wanted if stratum in first]


def _beside_original(row: Mapping[str, Any]) -> dict[str, Any]:
    shown = passages(
        [{"text": text} for text in row["original_passages"] or ()], [{"text": text} for text in row["passages"] or ()]
    )
    return {**row, "difference": compared(row["original_question"], row["question"]), **beside(shown)}
