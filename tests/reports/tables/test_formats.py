"""The one way in which numbers are written."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.reports.tables.formats import CellKind, dollars, tokens, with_interval, written

THIN = "\N{NARROW NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        (0.8984, CellKind.RATE, "89.8 %"),
        (0.031, CellKind.POINTS, "3.1"),
        (-0.031, CellKind.DIFFERENCE, "−3.1"),
        (-0.0001, CellKind.DIFFERENCE, "0.0"),
        (1234567, CellKind.COUNT, f"1{THIN}234{THIN}567"),
        (-0.613, CellKind.DECIMAL, "−0.61"),
        (3.1e-9, CellKind.SMALL, "3.1 × 10⁻⁹"),
        (6204.8012, CellKind.DOLLARS, f"$6{THIN}204.80"),
        (datetime(2026, 11, 20, 3, 4, 59, tzinfo=timezone(timedelta(hours=2))), CellKind.TIME, "2026-11-20 01:04"),
        (datetime(2026, 11, 20, 3, 4, 59, tzinfo=UTC), CellKind.TIME, "2026-11-20 03:04"),
        (date(2026, 11, 20), CellKind.DAY, "2026-11-20"),
        (True, CellKind.FLAG, "yes"),
        (["a", "b"], CellKind.LIST, "a, b"),
    ],
)
def test_values_are_written_by_their_kind(value: object, kind: CellKind, said: str) -> None:
    assert written(value, kind) == said


@pytest.mark.parametrize("nothing", [None, float("nan"), float("inf")])
@pytest.mark.parametrize("kind", list(CellKind))
def test_null_is_told_in_words_whatever_the_kind(nothing: object, kind: CellKind) -> None:
    assert written(nothing, kind, "no refusable items") == "no refusable items"


def test_interval_stands_behind_its_value_and_only_whole() -> None:
    assert with_interval("89.8 %", 0.841, 0.937, CellKind.RATE) == "89.8 % (84.1 to 93.7)"
    assert with_interval("+1.0", -0.02, 0.04, CellKind.DIFFERENCE) == "+1.0 (−2.0 to +4.0)"
    assert with_interval("89.8 %", None, 0.937, CellKind.RATE) == "89.8 %"


@pytest.mark.parametrize(
    ("usd", "said"),
    [
        (0, "$0.00"), (0.00344, "$0.0034"), (0.0000997, "$0.00010"), (12.345, "$12.35"), (0.3209, "$0.32"),
        (0.00999, "$0.010"), (-0.5, "−$0.50"), (1e-12, "$0.000000000"),
    ],
)  # fmt: skip
def test_dollars_are_rounded_to_what_matters(usd: float, said: str) -> None:
    assert dollars(usd) == said


@given(st.integers(0, 10**12))
def test_tokens_stay_near_their_number(number: int) -> None:
    said = tokens(number).split(THIN)
    scale = {"k": 1e3, "M": 1e6, "G": 1e9}.get(said[-1])
    read = float("".join(said)) if scale is None else float(said[0]) * scale
    assert read == pytest.approx(number, rel=0.006)
    assert scale is not None or read == number, "a number without a unit is exact"
