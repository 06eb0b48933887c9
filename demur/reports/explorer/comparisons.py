"""Pages that compare two respondents, two judges or two rounds."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from markupsafe import Markup

from demur.errors import FlowError
from demur.reports.explorer.pages import Page, declared, head_of, shown
from demur.reports.names import CODES, INTENSITIES, OTHER_WORDING, in_order
from demur.reports.pages.rendering import To
from demur.reports.pages.svg_charts import PERCENT_TICKS, Axis, Line, Mark, chart, in_words
from demur.reports.round_report.charts import levels_axis, share_mark
from demur.reports.round_report.topics import codes_of
from demur.reports.tables.formats import UNKNOWN, difference, dollars, rate
from demur.reports.texts import MINUS, small
from demur.warehouse.results.snapshots import Snapshot

ASIDE: Final = 0.06
"""Horizontal shift of the marks of two respondents, in steps of intensity, so that both stay visible."""
SCORE: Final = "calibrated_refusal_score"
SIGNIFICANT_BELOW: Final = 0.05
"""Significance level of p values adjusted by Holm."""
LEVELS: Final = tuple(INTENSITIES)
Row = Mapping[str, Any]
Drawn = Callable[[To], Markup]
"""A function from page addresses to a chart with links to these pages."""


def compare_page(snapshot: Snapshot, round_id: str, query: Mapping[str, str]) -> Page:
    """Return the page of two respondents under a common judge.

    If they have no common judge, the page lists the judges of each respondent.
    """
    head_of(snapshot, round_id)
    parties = snapshot.rows("parties", round=round_id)[0]
    respondents = parties["respondents"] or []
    board = [row["respondent"] for row in shown(snapshot, "leaderboard", round=round_id).table.records]
    best = list(dict.fromkeys([*board, *respondents]))
    judged_by = _judges_of(parties["judgings"] or [])
    a = _one_of("a", query.get("a"), respondents, best[0] if best else "")
    alike = sorted(best, key=lambda one: one.endswith(OTHER_WORDING) != a.endswith(OTHER_WORDING))
    peers = [one for one in alike if one != a and set(judged_by.get(one, ())) & set(judged_by.get(a, ()))]
    others = [one for one in best if one != a and one not in peers]
    b = _one_of("b", query.get("b"), respondents, next(iter([*peers, *others]), a))
    common = [judge for judge in judged_by.get(a, ()) if judge in judged_by.get(b, ())]
    wanted = _one_of("judge", query.get("judge"), parties["judges"], "")
    judge = wanted if wanted in common else next(iter(common), "")
    context: dict[str, Any] = {
        "page": "compare",
        "round": round_id,
        "respondents": respondents,
        "a": a,
        "b": b,
        "peers": peers,
        "others": others,
        "judged_by": judged_by,
        "common": common,
        "judge": judge,
    }
    if not judge:
        return Page("compare", context)
    values = {"round": round_id, "a": a, "b": b, "judge": judge}
    cells = snapshot.table("pair_cells", values)
    confusion = snapshot.table("confusion", values)
    curves = snapshot.table("curves", values)
    costs = declared(snapshot, "scores_by_cost", "cost_score", **values)
    tests = declared(snapshot, "paired_tests", "pair_tests", **values)
    scores = [row for row in tests.table.records if row["metric"] == SCORE]
    return Page(
        "compare",
        {
            **context,
            "cells": cells,
            "totals": {
                name: sum(row[name] for row in cells.rows) for name in ("both", "only_first", "only_second", "neither")
            },
            "tests": tests,
            "verdict": _verdict(scores[0]) if scores else None,
            "answers": snapshot.table("pair_answers", values),
            "curve_rows": curves,
            "curves": _curves(curves.rows, (a, b), {"round": round_id, "judge": judge}),
            "confusion_rows": confusion,
            "confusion": {who: _cells(confusion.rows, who) for who in (a, b)},
            "codes": codes_of(confusion.rows),
            "costs": costs,
            "costs_drawn": _costs(costs.table.records, {"round": round_id, "judge": judge}),
        },
    )


def _judges_of(judgings: Iterable[Mapping[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in sorted(judgings, key=lambda one: one["judge"]):
        found.setdefault(one["respondent"], []).append(one["judge"])
    return found


def _verdict(tested: Row) -> dict[str, Any]:
    """Return the paired test of two scores as texts, with the flag `is_significant`."""
    low, high, adjusted = (tested[name] for name in ("low", "high", "p_value_holm"))
    return {
        "difference": None if tested["difference"] is None else _ahead(difference(tested["difference"])),
        "interval": None if low is None or high is None else f"{difference(low)} to {difference(high)}",
        "p": None if adjusted is None else small(adjusted),
        "is_significant": adjusted is not None and adjusted < SIGNIFICANT_BELOW,
        "reason": tested["reason"] or UNKNOWN,
    }


def _ahead(points: str) -> str:
    """Return a signed difference in words. For example, `+0.3` becomes `0.3 points ahead of`."""
    places = {"+": "ahead of", MINUS: "behind"}
    return f"{points[1:]} points {places[points[0]]}" if points[0] in places else "level with"


def judges_page(snapshot: Snapshot, round_id: str, query: Mapping[str, str]) -> Page:
    """Return the page of two judges' classifications of the same responses."""
    head_of(snapshot, round_id)
    parties = snapshot.rows("parties", round=round_id)[0]
    judges = parties["judges"]
    context: dict[str, Any] = {"page": "judges", "round": round_id, "choices": parties}
    if len(judges) < 2:
        return Page("judges", context)
    a = _one_of("a", query.get("a"), judges, judges[0])
    b = _one_of("b", query.get("b"), judges, judges[1])
    values = {"round": round_id, "a": a, "b": b}
    cells = snapshot.table("judge_cells", values)
    matrix = {(row["first"], row["second"]): row["responses"] for row in cells.rows}
    return Page(
        "judges",
        {
            **context,
            "a": a,
            "b": b,
            "cells": cells,
            "matrix": matrix,
            "codes": in_order((code for pair in matrix for code in pair), CODES),
            "agreement": snapshot.table("judge_agreement", values).rows[0],
            "scores": declared(snapshot, "scores_by_judge", "judge_scores", **values),
        },
    )


def compare_rounds_page(snapshot: Snapshot, query: Mapping[str, str]) -> Page:
    """Return the page that compares two rounds."""
    rounds = [row["round_id"] for row in snapshot.rows("round_ids")]
    context: dict[str, Any] = {"page": "compare_rounds", "rounds": rounds}
    if len(rounds) < 2:
        return Page("compare_rounds", context)
    a = _one_of("a", query.get("a"), rounds, rounds[1])
    b = _one_of("b", query.get("b"), rounds, rounds[0])
    values = {"a": a, "b": b}
    tables = {
        name: declared(snapshot, f"{name}_of_rounds", f"round_{name}", **values)
        for name in ("scores", "drift", "strata")
    }
    return Page("compare_rounds", {**context, **values, **tables})


def _curves(rows: Iterable[Row], whose: tuple[str, str], place: Mapping[str, str]) -> dict[str, Drawn]:
    """Return one chart per class: the refusal rates of two respondents by intensity. Points link to lists of items."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["refusal_rate"] is not None and row["intensity"] in LEVELS:
            found.setdefault(row["class"], []).append(row)
    return {name: partial(_curve, of, whose, place) for name, of in found.items()}


def _curve(rows: Iterable[Row], whose: tuple[str, str], place: Mapping[str, str], to: To) -> Markup:
    marks: dict[str, list[Mark]] = {who: [] for who in whose}
    for row in sorted(rows, key=lambda row: LEVELS.index(row["intensity"])):
        who = row["respondent"]
        moved = ASIDE if who == whose[1] and whose[0] != whose[1] else -ASIDE
        description = f"{who}, {INTENSITIES[row['intensity']].lower()}, {row['responses']} responses:"
        href = to(
            "items", respondent=who, outcome="refused", intensity=row["intensity"], **{"class": row["class"]}, **place
        )
        x = LEVELS.index(row["intensity"]) + moved
        kind = "second" if moved > 0 else "first"
        marks[who].append(
            share_mark(x, row, "refusal_rate", "low", "high", description, kind=kind, href=href, radius=5)
        )
    lines = [Line([(mark.x, mark.y) for mark in own], own[0].kind) for own in marks.values() if own]
    everything = [mark for own in marks.values() for mark in own]
    said = in_words("Refusals by intensity", everything)
    return chart(said, levels_axis(), Axis(), everything, lines)


def _costs(rows: Iterable[Row], place: Mapping[str, str]) -> Drawn | None:
    """Return the chart of scores over dollars per response, or None if all responses were free."""
    paid = [row for row in rows if row["usd_per_response"] and row["calibrated_refusal_score"] is not None]
    return partial(_cost_chart, paid, place) if paid else None


def _cost_chart(rows: list[Row], place: Mapping[str, str], to: To) -> Markup:
    prices = sorted(float(row["usd_per_response"]) for row in rows)
    ticks = [(price, dollars(price)) for price in dict.fromkeys((prices[0], prices[-1]))]
    x = Axis(prices[0] / 1.6, prices[-1] * 1.6, ticks, "dollars a response, logarithmic", logarithmic=True)
    marks = [
        Mark(
            float(row["usd_per_response"]),
            row["calibrated_refusal_score"],
            f"{row['respondent']}: {rate(row['calibrated_refusal_score'])} at {dollars(row['usd_per_response'])}",
            label=row["respondent"],
            href=to("items", respondent=row["respondent"], **place),
        )
        for row in rows
    ]
    said = in_words("Score by dollars a response", marks)
    return chart(said, x, Axis(ticks=PERCENT_TICKS, title="score"), marks, size=(540, 290))


def _cells(rows: Iterable[Mapping[str, Any]], respondent: str) -> dict[tuple[str, str], int]:
    return {(row["expected"], row["predicted"]): row["responses"] for row in rows if row["respondent"] == respondent}


def _one_of(name: str, given: str | None, known: list[str], otherwise: str) -> str:
    if given is None or given == "":
        return otherwise
    if given not in known:
        raise FlowError(f"{name} '{given}' is not one of {', '.join(known) or 'none yet'}")
    return given
