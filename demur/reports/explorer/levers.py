"""The page of all levers of a round, and the page of one lever with examples."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from markupsafe import Markup

from demur.reports.explorer.item import replaced
from demur.reports.explorer.pages import NotFoundError, Page, declared, head_of, load_instructions, shown
from demur.reports.pages.charts import PERCENT_TICKS, Axis, Line, Mark, chart, in_words
from demur.reports.pages.compared import compared, passages
from demur.reports.pages.links import To
from demur.reports.tables.formats import rate
from demur.warehouse.explorer.snapshot import Snapshot

HISTORIES: Final = {"acceptance": "Accepted of its candidates", "difficulty": "Responses that are wrong"}
"""Charts of a lever over rounds: title by column of `lever_rounds`."""
MOST_TICKS: Final = 4


def levers_page(snapshot: Snapshot, round_id: str) -> Page:
    """Return the page of a round's levers, and of strata with too few levers."""
    head_of(snapshot, round_id)
    none = {"lever": None, "class": None, "intensity": None}
    return Page(
        "levers",
        {
            "page": "levers",
            "round": round_id,
            "levers": declared(snapshot, "levers", round=round_id, **none),
            "thin": declared(snapshot, "thin_strata", round=round_id),
            "copies": shown(snapshot, "near_copies", round=round_id),
        },
    )


def lever_page(snapshot: Snapshot, round_id: str, lever_id: str) -> Page:
    """Return the page of one lever: counts, reasons of rejection, three examples, results in all rounds."""
    one = {"round": round_id, "lever": lever_id, "class": None, "intensity": None}
    found = snapshot.table("levers", one).rows
    if not found:
        head_of(snapshot, round_id)
        raise NotFoundError(f"round {round_id} has no lever '{lever_id}'")
    examples = [
        {
            **row,
            "difference": compared(row["original_question"], row["question"]),
            "passages": passages(row["passages"], replaced(row["passages"], row["changed"]), {}),
        }
        for row in snapshot.rows("lever_examples", round=round_id, lever=lever_id)
    ]
    rounds = declared(snapshot, "lever_rounds", lever=lever_id)
    return Page(
        "lever",
        {
            "page": "levers",
            "round": round_id,
            "lever": found[0],
            "instruction": load_instructions().get(lever_id, ""),
            "reasons": declared(snapshot, "lever_reasons", round=round_id, lever=lever_id),
            "rounds": rounds,
            "histories": {
                label: partial(_history, rounds.table.records, lever_id, column, label)
                for column, label in HISTORIES.items()
                if sum(row[column] is not None for row in rounds.table.records) > 1
            },
            "examples": examples,
        },
    )


def _history(newest_first: Iterable[Mapping[str, Any]], lever_id: str, column: str, label: str, to: To) -> Markup:
    """Return the chart of the values in `column` for each round of a lever, oldest round first.

    Rounds without a value are left out. `label` is the title of the chart.
    """
    known = [row for row in newest_first if row[column] is not None][::-1]
    named = known if len(known) <= MOST_TICKS else (known[0], known[-1])
    x = Axis(-0.5, len(known) - 0.5, [(known.index(row), str(row["round_id"])[:16]) for row in named])
    marks = [
        Mark(
            at,
            row[column],
            f"{row['round_id']}: {rate(row[column])}",
            href=to("lever", round=row["round_id"], lever=lever_id),
        )
        for at, row in enumerate(known)
    ]
    line = Line([(mark.x, mark.y) for mark in marks])
    return chart(in_words(label, marks), x, Axis(ticks=PERCENT_TICKS), marks, [line], size=(420, 190))
