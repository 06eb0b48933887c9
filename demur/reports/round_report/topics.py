"""The folded sections below the four answers, and statements on recorded replies."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from demur.reports import names
from demur.reports.pages.word_differences import beside, compared, passages
from demur.reports.round_report.charts import Figure, intensity_curves, reliability_diagrams, scales
from demur.reports.tables import ShownTable

# The folded sections below the four answers, with their tables and charts.


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


# Statements on recorded replies: the source, the dates, and the roles that one source had.


ROLES: Final = {"generators": "generators", "verifiers": "verifiers", "judges": "judge", "respondents": "respondents"}
"""The name of each role in sentences, by column of the table `overview`."""

Recorded = Sequence[Mapping[str, Any]]
"""Models with recorded replies: entries `recorded` of a release's manifest."""


def when(recorded: Recorded) -> str:
    """Return the days of the replies, such as `on 27 November 2026`, or an empty text if unknown."""
    firsts = [one["first"] for one in recorded if one.get("first")]
    lasts = [one["last"] for one in recorded if one.get("last")]
    if not firsts or not lasts:
        return ""
    first, last = day(min(firsts)), day(max(lasts))
    return f"on {first}" if first == last else f"from {first} to {last}"


def given(recorded: Recorded) -> str:
    """Return dates and sources of replies in words, or an empty text without replies.

    Models with the same source share its words; with several sources, each part ends with its models in parentheses.
    """
    parts = {
        source: " ".join(part for part in (when(its), f"by {source}" if source else "") if part)
        for source, its in _by_source(recorded).items()
    }
    if len(parts) < 2:
        return "".join(parts.values())
    return listed(f"{parts[source]} ({quoted(its)})" for source, its in _by_source(recorded).items())


def explained(recorded: Recorded) -> str:
    """Return the meaning of `stand-in`, and which models are alike; an empty text if no source is a stand-in."""
    standing = [its for source, its in _by_source(recorded).items() if "stand-in" in source]
    if not standing:
        return ""
    alike = "".join(f"; {quoted(its)} are one kind of model, each asked alone" for its in standing if len(its) > 1)
    return f" (a stand-in is a language model that was asked by hand, in place of one behind an API{alike})"


def _by_source(recorded: Recorded) -> dict[str, list[Mapping[str, Any]]]:
    """Return the models by the source of their replies: who answered in a model's place, or else the model itself."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in recorded:
        found.setdefault(one.get("answered_by") or ", ".join(one.get("asked") or ()), []).append(one)
    return found


def notes(recorded: Recorded) -> list[str]:
    """Return the distinct notes of recordings, without notes that only repeat the date."""
    days = {day(one[end]) for one in recorded for end in ("first", "last") if one.get(end)}
    return list(dict.fromkeys(one["note"] for one in recorded if one.get("note") and one["note"] not in days))


def shared_roles(recorded: Recorded, facts: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first source whose replies serve both as judge and as respondent, with all its roles in words.

    If the source gave the replies of some of the recorded respondents alone, these are named. None without such a
    source.

    Args:
        recorded: models with recorded replies.
        facts: the row of the table `overview`, with the names of models by role.
    """
    everybody = {one["model"] for one in recorded}
    for source, its in _by_source(recorded).items():
        models = {one["model"] for one in its}
        found = {role: models & set(facts.get(role) or ()) for role in ROLES}
        if not (source and found["judges"] and found["respondents"]):
            continue
        some = found["respondents"] < everybody & set(facts["respondents"])
        named = {"respondents": listed(sorted(found["respondents"]))} if some else {}
        return source, listed(named.get(role, said) for role, said in ROLES.items() if found[role])
    return None


def quoted(recorded: Recorded) -> str:
    """Return the names of models as a list in a sentence, each in quotation marks."""
    return listed(f"‘{one['model']}’" for one in recorded)


def day(written: str) -> str:
    """Return an ISO 8601 date in words, such as `27 November 2026`; other text is unchanged."""
    try:
        found = date.fromisoformat(written)
    except ValueError:
        return written
    return f"{found.day} {found:%B %Y}"


def listed(names: Iterable[str]) -> str:
    """Return names as a list in a sentence: `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
