"""The documented statements that trace a published number and count it again do so, on a round counted by hand."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publish import publish
from demur.warehouse.query import query
from demur.warehouse.rows import to_arrow
from demur.warehouse.tables import Table
from tests.test_docs import DATA_MODEL, FENCE, sections
from tests.warehouse.examples import NOON, ROWS, call_row

Row = dict[str, object]

ROUND = "embedded"
RESPONDENT = "defect-spotter"
METRIC = "calibrated_refusal_score"
VALUE = 0.75
"""Item i1 is refused with its code, i2 answered correctly, i3 has no response: (1 / 1 + 1 / 2) / 2."""

UNITS = {
    "screen": ["s1"],
    "generate": ["p1", "p2", "p3"],
    "verify": ["v1"],
    "assemble": ["m1", "m2", "m3"],
    "respond": ["a1", "a2"],
    "judge": ["j1", "j2"],
    "score": ["c1"],
}


def row(table: Table, **changes: object) -> Row:
    return ROWS[table] | {"round_id": ROUND} | changes


def item(number: int, intensity: str = "MEDIUM", expected: str = "REFUSE_AMBIGUOUS_QUERY") -> Row:
    ids = {"unit_id": f"m{number}", "item_id": f"i{number}", "perturbation_id": f"p{number}"}
    return row(Table.ITEMS, **ids, intensity=intensity, expected=expected)


def asked(number: int, stage: str, **changes: object) -> Row:
    line = call_row(number, round_id=ROUND, stage=stage, unit_id=UNITS[stage][0], **changes)
    return line | {"started_at": NOON + timedelta(seconds=number)}


def the_round() -> Iterator[tuple[Table, list[Row]]]:
    """Yield three items of one base instance; of the first a verdict was unreadable once and a request timed out."""
    of_respondent = {"respondent": RESPONDENT}
    yield Table.ROUNDS, [row(Table.ROUNDS, respondents=[RESPONDENT], config='{"response_replicates": 1}')]
    yield Table.UNITS, [row(Table.UNITS, stage=s, unit_id=unit) for s, units in UNITS.items() for unit in units]
    yield Table.SCREENINGS, [row(Table.SCREENINGS, unit_id="s1")]
    yield (
        Table.PERTURBATIONS,
        [row(Table.PERTURBATIONS, unit_id=f"p{n}", perturbation_id=f"p{n}", replicate=n) for n in (1, 2, 3)],
    )
    unreadable = row(Table.VERDICTS, unit_id="v1", attempt=1, outcome="missing", overall=None)
    yield Table.VERDICTS, [unreadable, row(Table.VERDICTS, unit_id="v1", attempt=2)]
    yield Table.ITEMS, [item(1), item(2, "LOW", "ANSWER_CORRECTLY"), item(3)]
    yield (
        Table.RESPONSES,
        [row(Table.RESPONSES, unit_id=f"a{n}", response_id=f"a{n}", item_id=f"i{n}", **of_respondent) for n in (1, 2)],
    )
    refused = {"predicted": "REFUSE_AMBIGUOUS_QUERY", "quality": None}
    answered = {"predicted": "ANSWER_ATTEMPT", "quality": 5, "correct": True}
    yield (
        Table.JUDGEMENTS,
        [
            row(Table.JUDGEMENTS, unit_id="j1", response_id="a1", item_id="i1", **of_respondent, **refused),
            row(Table.JUDGEMENTS, unit_id="j2", response_id="a2", item_id="i2", **of_respondent, **answered),
        ],
    )
    where = {"slice": "overall", "slice_value": "overall"}
    counted = {"value": VALUE, "low": VALUE, "high": VALUE, "n": 3, "reason": None}
    yield Table.SCORES, [row(Table.SCORES, unit_id="c1", metric=METRIC, **of_respondent, **where, **counted)]
    timed_out = {"status": "error", "error_class": "timeout", "reply": None}
    stages = ["screen", "generate", "verify", "verify", "respond", "respond", "judge"]
    calls = [asked(number, stage) for number, stage in enumerate(stages, start=1)]
    calls[4] |= timed_out
    yield Table.CALLS, calls


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    with writing(made, wait_seconds=0) as con:
        for table, rows in the_round():
            con.register("rows_of_test", to_arrow(table, rows, "here"))
            con.execute(f"INSERT INTO {table.value} BY NAME SELECT * FROM rows_of_test")
            con.unregister("rows_of_test")
    return made


def documented(home: Home, number: int) -> list[Row]:
    """Run one of the two statements of the page on what the home holds now."""
    publish(home)
    block = list(FENCE.finditer(sections(DATA_MODEL)["Tracing a published number"]))[number]
    found = query(home, block["text"], limit=None)
    return [dict(zip(found.columns, values, strict=True)) for values in found.rows]


def test_trace_of_a_published_number_finds_every_request_in_order_and_items_without_a_response(home: Home) -> None:
    traced = documented(home, 0)
    assert {row["item_id"] for row in traced} == {"i1", "i2", "i3"}
    found = [row for row in traced if row["item_id"] == "i1"]
    stages = ["screen", "generate", "verify", "verify", "respond", "respond", "judge"]
    assert [(row["stage"], row["call_id"]) for row in found] == [
        (stage, f"c{number}") for number, stage in enumerate(stages, start=1)
    ]
    assert [row["status"] for row in found].count("error") == 1
    assert {row["value"] for row in found} == {VALUE}


def test_trace_after_judgements_were_planned_anew_leaves_out_the_old_ones(home: Home) -> None:
    with writing(home, wait_seconds=0) as con:
        con.execute("DELETE FROM units WHERE stage = 'judge'")
    found = documented(home, 0)
    assert {row["stage"] for row in found} == {"screen", "generate", "verify", "respond"}


def test_recount_of_a_published_number_equals_it_and_counts_missing_responses(home: Home) -> None:
    [recounted] = documented(home, 1)
    assert recounted["recounted"] == recounted["published"] == VALUE
