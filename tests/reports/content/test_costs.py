"""What `demur costs` shows on a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.reports.content.costs import CostTable, dollars, estimate_overview, short_count
from demur.warehouse.formats import as_table

COLUMNS = (
    *("stage", "role", "model", "estimated_units", "units", "estimated_calls", "calls", "estimated_input_tokens"),
    *("input_tokens", "estimated_output_tokens", "output_tokens", "estimated_usd", "counted_usd", "ratio"),
)  # fmt: skip


def test_estimate_at_a_glance_fits_a_terminal_with_numbers_of_a_large_round() -> None:
    row = (
        *("generate", "generator", "claude-sonnet", 54_000, 54_000, 54_000, 54_321, 94_240_123),
        *(111_589_456, 54_000_000, 12_211_789, 6_204.8012, 3_208.6634, 0.517),
    )
    asked_nothing = ("write", "writer", "gpt", 48, 0, 48, 0, 64_900, None, 48_000, None, 0.51, None, None)
    table = estimate_overview(CostTable(COLUMNS, [row, asked_nothing]))
    shown = as_table(table.columns, table.rows, 100)
    assert max(map(len, shown.splitlines())) <= 100
    *_, full, empty = (line.split("  ") for line in shown.splitlines())
    assert [cell.strip() for cell in full if cell][3:] == [
        *("54.3k / 54k", "112M / 94.2M", "12.2M / 54M", "3208.66 / 6204.80", "0.517")
    ]
    assert [cell.strip() for cell in empty if cell][3:] == [
        *("0 / 48", "null / 64.9k", "null / 48k", "null / 0.51", "null")
    ]


@given(st.integers(0, 10**12))
def test_short_counts_stay_near_the_count(count: int) -> None:
    shown = short_count(count)
    scale = {"k": 1e3, "M": 1e6, "G": 1e9}.get(shown[-1], 1.0)
    assert float(shown.rstrip("kMG")) * scale == pytest.approx(count, rel=0.006)
    assert len(shown) <= 5


@pytest.mark.parametrize(
    ("usd", "shown"), [(0, "0.00"), (0.00344, "0.0034"), (12.345, "12.35"), (0.3209, "0.32"), (None, "null")]
)
def test_dollars_are_rounded_to_what_matters(usd: float | None, shown: str) -> None:
    assert dollars(usd) == shown
