"""The documented statements that trace a published number and count it again do so on a finished round."""

import pytest

from demur.warehouse.results.query import query
from tests.flows.finished_rounds import FinishedRound
from tests.test_docs import DATA_MODEL, FENCE, sections


def documented(finished: FinishedRound, number: int) -> list[dict[str, object]]:
    """Run one of the two statements of the page."""
    block = list(FENCE.finditer(sections(DATA_MODEL)["Tracing a published number"]))[number]
    found = query(finished.home, block["text"], limit=None)
    return [dict(zip(found.columns, values, strict=True)) for values in found.rows]


def test_trace_of_a_published_number_finds_the_requests_of_every_item_in_order(rules_round: FinishedRound) -> None:
    traced = documented(rules_round, 0)
    sampled = "SELECT DISTINCT item_id FROM live_items WHERE kind = 'perturbed' ORDER BY item_id"
    items = [item for (item,) in query(rules_round.home, sampled, limit=None).rows]
    assert sorted({row["item_id"] for row in traced}) == items
    for item in items:
        stages = [row["stage"] for row in traced if row["item_id"] == item]
        assert stages[0] == "generate" and stages[-2:] == ["respond", "judge"] and set(stages[1:-2]) == {"verify"}
    published = "SELECT calibrated_refusal_score FROM leaderboard WHERE respondent = 'defect-spotter'"
    [(shown,)] = query(rules_round.home, published, limit=None).rows
    [value] = {row["value"] for row in traced}
    assert value == pytest.approx(shown, abs=0.0006)


def test_recount_of_published_numbers_equals_them(rules_round: FinishedRound) -> None:
    recounted = documented(rules_round, 1)
    assert recounted and all(row["recounted"] == row["published"] for row in recounted)
