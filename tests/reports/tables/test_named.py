"""Declared tables: columns, words for nulls, what is left out, and the three ways in which they are written."""

import re

import pytest
from jinja2 import Environment

from demur.reports import names
from demur.reports.pages.rendering import environment, to
from demur.reports.tables import ShownTable, named_table, table_names
from demur.reports.tables.named import DECLARED, facts_of, markdown_of, text_of, titled_markdown
from demur.warehouse.connection import reading
from tests.flows.finished_rounds import FinishedRound
from tests.reports.pages import Page

HOSTILE = "<script>alert(1)</script> | `x` \x1b[31m"
ROW = {
    "respondent": "best", "judge": "j", "calibrated_refusal_score": 0.898, "crs_low": 0.841, "crs_high": 0.937,
    "answer_accuracy": 0.9, "refusal_accuracy": None, "refusal_reason": "no unanswerable items",
    "control_refusal_rate": None, "invalid_rate": 0.0, "state": "complete", "mean_reward": None,
}  # fmt: skip
OTHER = {**ROW, "respondent": "other", "refusal_accuracy": 0.5, "control_refusal_rate": 0.25}


@pytest.fixture(scope="module")
def html() -> Environment:
    return environment()


def shown(*rows: dict[str, object]) -> ShownTable:
    return named_table("leaderboard").shown(rows)


def as_html(html: Environment, table: ShownTable) -> str:
    template = html.from_string('{% import "macros.html" as m with context %}{{ m.table(table, to, leads, by) }}')
    return template.render(table=table, to=to, leads={"respondent": {"round": "r"}}, by=("respondent",))


@pytest.mark.parametrize("name", table_names())
def test_declared_columns_exist_in_the_statement(rules_round: FinishedRound, name: str) -> None:
    declared = named_table(name)
    for column in declared.columns.values():
        assert column.named is None or isinstance(getattr(names, column.named), dict)
    if not (DECLARED / f"{declared.sql or name}.sql").is_file():
        return
    with reading(rules_round.home) as con:
        bound = {"round": rules_round.round_id, "board": "none", "respondent": "nobody", "judge": "nobody"}
        found = named_table(name).read(con, **bound)
    needed = {
        *declared.columns,
        *(column.reason for column in declared.columns.values() if column.reason),
        *(end for column in declared.columns.values() for end in column.interval or ()),
    }
    assert needed <= set(found.raw_columns)


def cell(table: ShownTable, row: int, column: str) -> str:
    return table.cells[row][[one.name for one in table.columns].index(column)]


def test_null_says_why_and_columns_that_say_nothing_are_left_out() -> None:
    table = shown(ROW, OTHER)
    assert cell(table, 0, "refusal_accuracy") == "no unanswerable items"
    assert cell(table, 0, "control_refusal_rate") == "no controls were asked"
    assert cell(table, 1, "control_refusal_rate") == "25.0 %"
    left_out = {"mean_reward", "judge", "invalid_rate", "state"}
    assert not left_out & {column.name for column in table.columns}
    partial = shown(ROW, {**OTHER, "judge": "k", "invalid_rate": 0.1, "state": "INCOMPLETE, 3 of 9"})
    assert {"judge", "invalid_rate", "state"} <= {column.name for column in partial.columns}
    assert table.rows[0][:2] == ("best", 0.898) and table.records[0]["crs_low"] == 0.841


def test_conclusion_is_drawn_from_the_first_row_and_from_no_null() -> None:
    assert shown(ROW).conclusion == "best is first with a calibrated refusal score of 89.8 % (84.1 to 93.7)."
    assert shown({**ROW, "calibrated_refusal_score": None}, OTHER).conclusion is None
    assert shown().conclusion is None


def test_empty_table_says_so_everywhere(html: Environment) -> None:
    table = shown()
    said = "No response has been scored."
    assert text_of(table) == markdown_of(table) == facts_of(table) == said
    assert titled_markdown(table) == f"## Leaderboard\n\n{said}"
    assert said in as_html(html, table) and "<table" not in as_html(html, table)


def test_narrow_terminal_gets_the_main_columns_and_is_told_of_the_others() -> None:
    row = {**ROW, "refusal_accuracy": 0.5, "control_refusal_rate": 0.0, "false_refusal_rate": 0.1}
    wide, narrow = text_of(shown(row), 200), text_of(shown(row), 70)
    assert "False refusals" in wide and "not shown" not in wide
    assert "not shown for want of room: False refusals" in narrow and "89.8 % (84.1 to 93.7)" in narrow
    assert max(map(len, narrow.splitlines())) <= 70
    assert text_of(shown(row), 70, brief=True) == narrow.rpartition("\n")[0]


def test_hostile_cells_are_inert_in_every_form(html: Environment) -> None:
    table = shown({**ROW, "respondent": HOSTILE})
    page = Page(as_html(html, table))
    assert not page.faults and not page.all("script")
    assert "<script>" not in as_html(html, table)
    assert "\x1b" not in text_of(table) and "\x1b" not in markdown_of(table)
    assert "<script>" not in markdown_of(table) and r"\|" in markdown_of(table)


def test_html_has_raw_values_to_sort_by_explanations_and_links(html: Environment) -> None:
    text = as_html(html, shown(ROW, OTHER))
    assert re.search(r'<td class="right" data-value="0.898">89.8 % \(84.1 to 93.7\)</td>', text)
    assert '<a href="/rounds/r/items?respondent=best">best</a>' in text
    assert 'data-column="answer_accuracy" title="Correct answers among the answerable items."' in text
