"""Pages that hold two things beside each other: respondents, judges, rounds."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from demur.errors import FlowError
from demur.reports.explorer.pages import Page, head_of
from demur.reports.explorer_pages.charts import curve, scatter
from demur.reports.names import CODES, in_order
from demur.warehouse.explorer.snapshot import Snapshot

ASIDE: Final = 5.0
"""How far marks of two respondents move apart, so that one does not cover the other."""


def compare_page(snapshot: Snapshot, round_id: str, query: Mapping[str, str]) -> Page:
    """Return two respondents side by side, by one judge."""
    head_of(snapshot, round_id)
    parties = snapshot.rows("parties", round=round_id)[0]
    respondents = parties["respondents"] or []
    judges = parties["judges"]
    board = [row["respondent"] for row in snapshot.rows("leaderboard", round=round_id)]
    best = list(dict.fromkeys([*board, *respondents]))
    a = _one_of("a", query.get("a"), respondents, best[0] if best else "")
    b = _one_of("b", query.get("b"), respondents, best[1] if len(best) > 1 else a)
    judge = _one_of("judge", query.get("judge"), judges, judges[0] if judges else "")
    context: dict[str, Any] = {"page": "compare", "round": round_id, "choices": parties, "a": a, "b": b, "judge": judge}
    if not judge:
        return Page("compare", context)
    values = {"round": round_id, "a": a, "b": b, "judge": judge}
    cells = snapshot.table("pair_cells", values)
    confusion = snapshot.table("confusion", values)
    curves = snapshot.table("curves", values)
    costs = snapshot.table("cost_score", values)
    return Page(
        "compare",
        {
            **context,
            "cells": cells,
            "totals": {
                name: sum(row[name] for row in cells.rows) for name in ("both", "only_first", "only_second", "neither")
            },
            "tests": snapshot.table("pair_tests", values),
            "curve_rows": curves,
            "curves": _curves(curves.rows, a),
            "confusion_rows": confusion,
            "confusion": {who: _cells(confusion.rows, who) for who in (a, b)},
            "codes": {
                "expected": _ordered(row["expected"] for row in confusion.rows),
                "given": _ordered(row["predicted"] for row in confusion.rows),
            },
            "costs": costs,
            "points": scatter(costs.rows, "usd_per_response", "calibrated_refusal_score"),
        },
    )


def judges_page(snapshot: Snapshot, round_id: str, query: Mapping[str, str]) -> Page:
    """Return how two judges class the same responses."""
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
            "codes": _ordered(code for pair in matrix for code in pair),
            "agreement": snapshot.table("judge_agreement", values).rows[0],
            "scores": snapshot.table("judge_scores", values),
        },
    )


def compare_rounds_page(snapshot: Snapshot, query: Mapping[str, str]) -> Page:
    """Return two rounds side by side."""
    rounds = [row["round_id"] for row in snapshot.rows("round_ids")]
    context: dict[str, Any] = {"page": "compare_rounds", "rounds": rounds}
    if len(rounds) < 2:
        return Page("compare_rounds", context)
    a = _one_of("a", query.get("a"), rounds, rounds[1])
    b = _one_of("b", query.get("b"), rounds, rounds[0])
    values = {"a": a, "b": b}
    tables = {name: snapshot.table(f"round_{name}", values) for name in ("scores", "drift", "strata")}
    return Page("compare_rounds", {**context, **values, **tables})


def _curves(rows: Iterable[Mapping[str, Any]], first: str) -> dict[str, dict[str, list[Any]]]:
    found: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        found.setdefault(row["class"], {}).setdefault(row["respondent"], []).append(row)
    return {
        name: {who: curve(own, -ASIDE if who == first else ASIDE) for who, own in of.items()}
        for name, of in found.items()
    }


def _cells(rows: Iterable[Mapping[str, Any]], respondent: str) -> dict[tuple[str, str], int]:
    return {(row["expected"], row["predicted"]): row["responses"] for row in rows if row["respondent"] == respondent}


def _ordered(codes: Iterable[str]) -> list[str]:
    return in_order(codes, CODES)


def _one_of(name: str, given: str | None, known: list[str], otherwise: str) -> str:
    if given is None or given == "":
        return otherwise
    if given not in known:
        raise FlowError(f"{name} '{given}' is not one of {', '.join(known) or 'none yet'}")
    return given
