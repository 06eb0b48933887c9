import csv
import io
import json
from datetime import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from demur.warehouse.results.formats import Format, as_table, render

COLUMNS = ["name", "n"]


def test_table_aligns_texts_left_and_numbers_right() -> None:
    assert render(Format.TABLE, COLUMNS, [("a", 1), ("bcd", None), ("日本", 234)]).splitlines() == [
        "name     n",
        "----  ----",
        "a        1",
        "bcd   null",
        "日本   234",
    ]


@pytest.mark.parametrize("how", [Format.TABLE, Format.MARKDOWN, Format.JSON])
@given(
    text=st.text() | st.sampled_from(["\x1b[2J\x1b]0;title\x07", "\u202eabc", "a\r\nb", "\x9b31m", "\u2028", "\ud800"])
)
def test_text_in_a_cell_or_heading_moves_no_terminal(how: Format, text: str) -> None:
    lines = render(how, ["n", text], [(1, text), (2, {"key": [text]})]).split("\n")
    assert len(lines) == {Format.TABLE: 4, Format.MARKDOWN: 4, Format.JSON: 2}[how]
    for line in lines:
        line.encode()
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029\u202e\u2066" for c in line)


def test_table_shows_control_characters_as_what_they_are() -> None:
    assert render(Format.TABLE, ["a"], [("x\n\x1b[31m",)]).splitlines()[2] == r"x\n\u001b[31m"


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.integers()), max_size=5))
def test_csv_comes_back_as_it_was(rows: list[tuple[str, int]]) -> None:
    text = render(Format.CSV, COLUMNS, [(f"a{a}", b) for a, b in rows])
    assert list(csv.reader(io.StringIO(text, newline=""))) == [COLUMNS, *([f"a{a}", str(b)] for a, b in rows)]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\uff1d1"])
def test_csv_text_that_a_spreadsheet_would_compute_begins_with_an_apostrophe(text: str) -> None:
    found = list(csv.reader(io.StringIO(render(Format.CSV, [text, "n"], [(text, -1.5)]), newline="")))
    assert found == [[f"'{text}", "n"], [f"'{text}", "-1.5"]]


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.integers()), max_size=5))
def test_json_comes_back_as_it_was(rows: list[tuple[str, int | None]]) -> None:
    assert json.loads(render(Format.JSON, COLUMNS, rows)) == [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def test_json_writes_what_it_has_no_form_for() -> None:
    moment = datetime(2026, 3, 1, 12)  # noqa: DTZ001
    row = (float("nan"), float("inf"), moment, Decimal("1.5"), b"\x01", [float("nan"), {"a": moment}], True)
    [found] = json.loads(render(Format.JSON, list("abcdefg"), [row]))
    assert list(found.values()) == [
        None,
        None,
        "2026-03-01T12:00:00",
        1.5,
        "01",
        [None, {"a": "2026-03-01T12:00:00"}],
        True,
    ]


def test_markdown_escapes_what_markdown_and_html_would_read() -> None:
    text = render(Format.MARKDOWN, ["a"], [("<b>|*x*`y`&amp;",)])
    assert text.splitlines()[2] == r"| &lt;b>\|\*x\*\`y\`&amp;amp; |"


def test_table_that_no_terminal_of_this_width_holds_is_a_block_for_each_row() -> None:
    columns = [f"column_{number}" for number in range(9)]
    rows = [["a" * 70, None, *range(7)], ["b", True, *range(7)]]
    lines = as_table(columns, rows, 40).splitlines()
    assert lines[:3] == ["- 1 -", "column_0  " + "a" * 70, "column_1  null"]
    assert lines[10:13] == ["- 2 -", "column_0  b", "column_1  true"]
    assert len(lines) == 20


@given(
    columns=st.lists(st.text(max_size=30), min_size=1, max_size=6),
    texts=st.lists(st.text(max_size=80), max_size=4),
    widest=st.integers(10, 120),
)
def test_table_is_as_wide_as_wanted_or_blocks(columns: list[str], texts: list[str], widest: int) -> None:
    lines = as_table(columns, [[text] * len(columns) for text in texts], widest).splitlines()
    if texts and lines[0] != "- 1 -":
        assert max(map(cell_len, lines)) <= widest
