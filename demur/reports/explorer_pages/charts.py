"""Charts as SVG without style attributes: coordinates that templates draw, each mark with the page that it leads to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any, Final

LEVELS: Final = ("LOW", "MEDIUM", "HIGH")
WIDTH: Final = 220.0
HEIGHT: Final = 120.0


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark: place in the drawing, interval where there is one, and the row that it shows."""

    x: float
    y: float
    low: float | None
    high: float | None
    row: Mapping[str, Any]


def curve(rows: Iterable[Mapping[str, Any]], aside: float = 0.0) -> list[Mark]:
    """Return the marks of one respondent's refusal rates, from LOW to HIGH, all moved aside by so much."""
    found = [row for row in rows if row["refusal_rate"] is not None and row["intensity"] in LEVELS]
    found.sort(key=lambda row: LEVELS.index(row["intensity"]))
    step = WIDTH / len(LEVELS)
    return [
        Mark(
            (LEVELS.index(row["intensity"]) + 0.5) * step + aside,
            _up(row["refusal_rate"]),
            _end(row["low"]),
            _end(row["high"]),
            row,
        )
        for row in found
    ]


def path(marks: Sequence[Mark]) -> str:
    """Return the points of a line through marks."""
    return " ".join(f"{mark.x:.1f},{mark.y:.1f}" for mark in marks)


def scatter(
    rows: Iterable[Mapping[str, Any]], x: str, y: str, width: float = 480.0, height: float = 240.0
) -> list[Mark]:
    """Return marks of rows by cost, on a logarithmic axis, and a share; rows without either are left out."""
    found = [row for row in rows if row[x] and row[x] > 0 and row[y] is not None]
    if not found:
        return []
    logs = [log10(row[x]) for row in found]
    low = min(logs)
    high = max(logs)
    spread = (high - low) or 1.0
    return [
        Mark(20 + (width - 40) * ((at - low) / spread if high > low else 0.5), height * (1 - row[y]), None, None, row)
        for at, row in zip(logs, found, strict=True)
    ]


def _up(share: float) -> float:
    return HEIGHT * (1 - share)


def _end(share: float | None) -> float | None:
    return None if share is None else _up(share)
