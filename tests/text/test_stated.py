"""Whether a text states an answer, and the differences of spelling that were met."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.text.stated import Difference, NearMiss, differences, near_miss

CASE, SEPARATORS, CURRENCY, UNIT = Difference.CASE, Difference.SEPARATORS, Difference.CURRENCY, Difference.UNIT


@pytest.mark.parametrize(
    ("answer", "text", "language", "met"),
    [
        ("Sund", "It lies on Sund.", None, set()),
        ("sund", "It lies on Sund.", None, {CASE}),
        ("Sund.", "It lies on Sund", None, {Difference.ENDS}),
        ("so\u00adft", "A soft stone", None, {Difference.INVISIBLE}),
        ("old\u200b mill", "The Old  Mill", None, {Difference.INVISIBLE, CASE, Difference.SPACES}),
        ("１８７１", "dug in 1871", None, {Difference.FORM}),
        ("“x – y”", '"x - y"', None, {Difference.MARKS}),
        ("محمد", "قال مُحَمَّد", "ar", {Difference.VOWELS}),
        ("IĞDIR", "ığdır ilinde", "tr", {CASE}),
        ("$1577.00", "Purchases\n \n(1,577)", None, {SEPARATORS, CURRENCY}),
        ("1577", "1 577 Einwohner", "fr", {SEPARATORS}),
        ("1577", "1.577 Einwohner", "de", {SEPARATORS}),
        ("1.577", "1,577 people", "en", None),
        ("€5", "it costs $5", None, None),
        ("€5", "it costs 5 EUR", None, {CURRENCY}),
        ("$5 million", "5,000,000 dollars", None, {SEPARATORS}),
        ("188 metres", "is 188 m deep", None, {UNIT}),
        ("188 metres", "is 188 km long", None, None),
        ("188 Meter", "ist 188 m tief", "de", {UNIT}),
        ("4.7 %", "by 4.7 percent", None, {UNIT}),
        ("4.7%", "4.7 people", None, None),
        ("-5 °C", "was 5 °C", None, None),
        ("5", "1,577 people", None, None),
        ("art", "a party", None, None),
        ("café", "the cafe", None, None),
        ("北京", "他在北京大学读书。", "zh", set()),
        ("1577", "共1,577人", "zh", {SEPARATORS}),
    ],
)
def test_answer_is_found_in_another_spelling_and_not_in_another_value(
    answer: str, text: str, language: str | None, met: set[Difference] | None
) -> None:
    assert differences(answer, text, language) == met


@pytest.mark.parametrize(
    ("answer", "text", "missed"),
    [("café", "the cafe", NearMiss.ACCENTS), ("Ѕund", "on Sund", NearMiss.LOOK_ALIKES), ("Sund", "Ostby", None)],
)
def test_near_miss_is_told(answer: str, text: str, missed: NearMiss | None) -> None:
    assert near_miss(answer, text) == missed


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_texts_are_compared(answer: str, text: str) -> None:
    assert (differences(answer, f"{text} {answer} {text}") is None) is not bool(answer.strip())
    near_miss(answer, text)
