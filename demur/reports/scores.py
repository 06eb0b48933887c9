"""A value with its interval, for pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
"""A row by column name."""


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its 95 % interval. If `value` is None, `reason` says why the value is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @property
    def has_interval(self) -> bool:
        """True if both ends are known."""
        return self.low is not None and self.high is not None


def score(row: Mapping[str, Any], value: str = "value", low: str = "low", high: str = "high") -> Score:
    """Return the score in the columns `value`, `low`, `high` and `reason` of a row."""
    return Score(row[value], row.get(low), row.get(high), row.get("reason"))
