import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.reports.texts import as_data, count, counted, neutralise, percent, signed, small

ANY_TEXT = st.text(st.characters(), max_size=120)
ADDRESS = re.compile(r"https?:|//|url\(", re.IGNORECASE)


@given(ANY_TEXT)
def test_neutralise_any_text_leaves_no_control_and_no_reordering_mark(text: str) -> None:
    shown = neutralise(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", shown)
    assert shown.encode("utf-8").decode("utf-8") == shown


@given(st.one_of(ANY_TEXT, st.sampled_from(["http://a.b", "HTTPS://x", "///", "url(//x)", "a<b>&\"'"])))
def test_as_data_any_text_reads_as_itself_and_holds_no_address(text: str) -> None:
    html = as_data(text)
    assert unescape(html) == neutralise(text)
    assert not ADDRESS.search(html)
    assert not set(html) & set("<>\"'")


def test_counted_takes_the_singular_for_one_alone() -> None:
    assert [counted(number, "stratum", "strata") for number in (0, 1, 18)] == ["0 strata", "1 stratum", "18 strata"]
    assert [counted(number, "item") for number in (1, 2, None)] == ["1 item", "2 items", "n/a items"]


def test_neutralise_controls_become_visible_signs() -> None:
    assert neutralise("a\x00b\x1b[31m\u202ec\r\nd") == "a\u2400b\u241b[31m[U+202E]c\nd"


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_numbers_undefined_are_not_available_never_zero(value: float | None) -> None:
    assert [show(value) for show in (percent, signed, count, small)] == ["n/a"] * 4
