"""What blind readers said of texts that a lever made: hardness, naturalness, share of passes. Figures, no texts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, RootModel

from demur.levers.models import Lever, LeverId
from demur.levers.yaml_file import read_yaml

OURS: Final = Path(__file__).with_suffix(".yaml")
TELLING_FROM: Final = 2.8
"""The lowest mean hardness, from 1 to 5, of a telling lever."""
NATURAL_FROM: Final = 3.0
PASSED_FROM: Final = 0.75
"""A lever whose texts read as made up, or fail, is hard for the wrong reason and therefore not telling."""

Grade = Annotated[float, Field(ge=1, le=5)]


class WrittenBy(StrEnum):
    """Writers of the texts that were read: a language model by the lever's instruction, or the lever's recipe."""

    MODEL = "model"
    RULES = "rules"


@dataclass(frozen=True, slots=True)
class LeverReading:
    """The judgements of one lever's texts in the readings of one day; several readers judge the same text."""

    day: date
    written_by: WrittenBy
    judgements: int
    hard: float
    natural: float
    passed: float
    """The share of judgements that passed the text, in [0, 1]."""

    @property
    def is_telling(self) -> bool:
        """True if readers found the lever's texts hard to see through, natural and valid."""
        return self.hard >= TELLING_FROM and self.natural >= NATURAL_FROM and self.passed >= PASSED_FROM


_Row = tuple[date, WrittenBy, Annotated[int, Field(ge=1)], Grade, Grade, Annotated[float, Field(ge=0, le=1)]]


class LeverReadings(RootModel[dict[LeverId, tuple[_Row, ...]]]):
    """All readings, by lever."""


@cache
def _load() -> LeverReadings:
    return read_yaml(OURS, LeverReadings)


def readings_of(lever_id: str) -> tuple[LeverReading, ...]:
    """Return all readings of a lever, the oldest first."""
    rows = (LeverReading(*row) for row in _load().root.get(lever_id, ()))
    return tuple(sorted(rows, key=lambda row: row.day))


def measured(lever_id: str) -> LeverReading | None:
    """Return the reading that counts for a lever, or None if its texts were never read.

    The newest reading of what a model wrote counts, since instructions change between readings. If models' texts were
    never read, the newest reading of the recipe's texts counts.
    """
    rows = readings_of(lever_id)
    by_model = [row for row in rows if row.written_by is WrittenBy.MODEL]
    return next(reversed(by_model or rows), None)


def telling(stratum: Iterable[Lever]) -> tuple[Lever, ...]:
    """Return the telling levers among those of one stratum, in their order.

    If the stratum has no telling lever, its hardest one is returned; if none of its levers was ever read, all are.
    """
    levers = tuple(stratum)
    found = {lever.id: row for lever in levers if (row := measured(lever.id)) is not None}
    if not found:
        return levers
    hardest = max(found, key=lambda lever_id: (found[lever_id].hard, found[lever_id].natural))
    chosen = {lever_id for lever_id, row in found.items() if row.is_telling} or {hardest}
    return tuple(lever for lever in levers if lever.id in chosen)
