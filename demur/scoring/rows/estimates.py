"""Estimates as cells of a row: null where a value is undefined."""

from math import isnan
from typing import TypeAlias

from demur.scoring.estimates import Estimate

Row: TypeAlias = dict[str, object]


def limits(estimate: Estimate, name: str) -> Row:
    """Return a value under its name with standard error, limits and reason, null where undefined."""
    return {
        name: known(estimate.value),
        "se": known(estimate.se),
        "low": known(estimate.low),
        "high": known(estimate.high),
        "reason": estimate.reason or None,
    }


def known(value: float) -> float | None:
    """Return a number, None for NaN."""
    return None if isnan(value) else float(value)
