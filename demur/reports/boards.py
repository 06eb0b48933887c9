"""The page of boards: comparable scores of evaluations, and their history."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from demur.reports.cells import rows
from demur.reports.names import METRICS
from demur.reports.pages.rendering import render
from demur.reports.pages.svg_charts import HALVES, Axis, Mark, chart, in_words
from demur.reports.reference_figures import Reference
from demur.reports.round_report.charts import Figure, intensity_curve, interval_of, timeline
from demur.reports.round_report.overview import MOST_NAMED
from demur.reports.round_report.topics import codes_of
from demur.reports.tables import ShownTable, named_table
from demur.reports.tables.formats import rate
from demur.reports.texts import Row, Score, score

HEADLINE: Final = "calibrated_refusal_score"
SCATTERS: Final = (("answer_accuracy", "refusal_accuracy"), ("detection_f1", "category_accuracy"))
RULES: Final = "rules"


@dataclass(frozen=True, slots=True)
class Board:
    """Comparable scores: of the same release, prompts, judge and version of metrics.

    Attributes:
        sample: The part of the release's items that was asked, or `all items`.
        checked: Whether people checked the judge, and with what agreement.
        odd: What is odd in the judgements that the judge was asked for; empty if nothing is.
        probes: The unscored models that helped choose the release's items.
        differs: Differences from the first board of the page.
        ranking: The table of respondents, best first.
        keys: The table of strata: how far keys agree with respondents' instructions; without rows if nobody read keys.
        entries: One row per respondent.
        scores: One row per respondent and metric.
        curves: One row per respondent and intensity.
        confusion: One row per respondent, expected code and code of the response.
        contrasts: One row per metric and pair of models that have the same family but different alignment.
        domains: One row per domain and part (answers or refusals).
        languages: One row per language and part (answers or refusals).
        history: One row per respondent and evaluation.
        references: Figures that others reported of the same benchmark.
        copies_seen: How many items were asked while the index had copies of their original passages.
    """

    board_id: str
    release: str
    release_digest: str
    prompts: str
    judge: str
    metrics_version: str
    sample: str
    layout: str
    audit: str
    calibration: str
    checked: str
    odd: str
    probes: Sequence[str]
    differs: Sequence[str]
    ranking: ShownTable
    keys: ShownTable
    entries: pd.DataFrame
    scores: pd.DataFrame
    curves: pd.DataFrame
    confusion: pd.DataFrame
    contrasts: pd.DataFrame
    domains: pd.DataFrame
    languages: pd.DataFrame
    history: pd.DataFrame
    copies_seen: str | None = None
    references: Sequence[Reference] = ()

    def standings(self) -> list[Row]:
        """Return the rows of `entries`, best first, with three more fields.

        `place` is the rank, `headline` is the main Score, and `by_name` has the Score of each metric by the metric's
        name.
        """
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
                "by_name": found[entry["respondent"]],
            }
            for entry in rows(self.entries)
        ]
        entries.sort(key=lambda entry: (-(entry["headline"].value or -1.0), entry["respondent"]))
        return [{**entry, "place": place} for place, entry in enumerate(entries, start=1)]


def render_boards(boards: Sequence[Board], title: str) -> str:
    """Return boards as a self-contained HTML page; section ids are numbers, since boards may share names."""
    return render("boards", title=title, boards=[_shown(board, f"board-{n}") for n, board in enumerate(boards)])


def _shown(board: Board, name: str) -> Row:
    standings = board.standings()
    models = [row["respondent"] for row in standings if row["provider"] != RULES] or [
        row["respondent"] for row in standings
    ]
    repeated = (
        board.history.groupby("respondent").filter(lambda own: len(own) > 1) if len(board.history) else board.history
    )
    return {
        "board": board,
        "name": name,
        "scores": board.ranking,
        "incomplete": [row for row in standings if row["state"] != "complete"],
        "scatters": [_scatter(across, up, standings) for across, up in SCATTERS],
        "curves": _curves(board, standings),
        "confusion": _average_confusion(board, models),
        "models": models,
        "contrasts": named_table("board_contrasts").shown(rows(board.contrasts)),
        "domains": named_table("board_domains").shown(rows(board.domains)),
        "languages": named_table("board_languages").shown(rows(board.languages)),
        "history": _lines(board.history),
        "evaluations": named_table("board_history").shown(rows(repeated)),
    }


def _scatter(across: str, up: str, standings: Sequence[Row]) -> Figure | None:
    marks = []
    for row in standings:
        found = row["by_name"]
        if any(name not in found or found[name].value is None for name in (across, up)):
            continue
        x, y = found[across], found[up]
        description = f"{row['place']} {row['respondent']}: {rate(x.value)} and {rate(y.value)}"
        kind = "landmark" if row["provider"] == RULES else "first"
        marks.append(
            Mark(
                x.value,
                y.value,
                description,
                row["respondent"] if len(standings) <= MOST_NAMED else str(row["place"]),
                interval_of(x.low, x.high),
                interval_of(y.low, y.high),
                kind,
            )
        )
    if not marks:
        return None
    x_axis, y_axis = (Axis(ticks=HALVES, title=METRICS[name].lower()) for name in (across, up))
    description = in_words(f"{METRICS[up]} against {METRICS[across].lower()}", marks)
    return Figure(
        f"{METRICS[up]}, by {METRICS[across].lower()}", chart(description, x_axis, y_axis, marks, size=(360, 310))
    )


def _curves(board: Board, standings: Sequence[Row]) -> list[Figure]:
    found: dict[str, Row] = defaultdict(dict)
    for row in rows(board.curves):
        level = row["intensity"].lower()
        found[row["respondent"]] |= {
            f"{level}_rate": row["value"],
            f"{level}_low": row["low"],
            f"{level}_high": row["high"],
        }
    return [
        Figure(f"{row['place']} {row['respondent']}", intensity_curve(row["respondent"], found[row["respondent"]]))
        for row in standings
        if row["respondent"] in found
    ]


def _average_confusion(board: Board, models: Sequence[str]) -> Row:
    """Return the confusion matrix averaged over models.

    A row is an expected code. The cells of a row are the shares of the codes in the responses.
    """
    found = [row for row in rows(board.confusion) if row["respondent"] in models]
    totals: Counter[tuple[str, str]] = Counter()
    for row in found:
        totals[row["respondent"], row["expected"]] += row["responses"]
    answering: dict[str, set[str]] = defaultdict(set)
    shares: Counter[tuple[str, str]] = Counter()
    for row in found:
        answering[row["expected"]].add(row["respondent"])
        shares[row["expected"], row["predicted"]] += row["responses"] / totals[row["respondent"], row["expected"]]
    return {
        "codes": codes_of(found),
        "shares": {cell: share / len(answering[cell[0]]) for cell, share in shares.items()},
    }


def _lines(history: pd.DataFrame, least: int = 2) -> list[Figure]:
    """Return a timeline for each respondent with at least `least` evaluations."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows(history):
        found[row["respondent"]].append(row)
    return [Figure(name, timeline(name, own)) for name, own in found.items() if len(own) >= least]
