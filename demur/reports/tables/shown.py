"""A table as people see it: what it is, its columns, and every cell both raw and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from demur.reports.tables.formats import Kind

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column that is shown; `explanation` says what its values mean, empty where the heading does."""

    name: str
    heading: str
    align: Align
    explanation: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class ShownTable:
    """Rows of a named table. `rows` and `cells` have the shown `columns`, `records` all columns of the statement.

    `conclusion` is a sentence about these rows, None where nothing can be concluded; `empty` is said where there are
    none. Cells are texts with nulls in words; rows and records hold raw values, nulls as None.
    """

    name: str
    title: str
    caption: str
    conclusion: str | None
    empty: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    cells: tuple[tuple[str, ...], ...]
    records: tuple[Mapping[str, Any], ...]

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the shown columns."""
        return tuple(column.heading for column in self.columns)

    def cell(self, row: int, column: str) -> str:
        """Return one cell by the number of its row and the name of its column."""
        return self.cells[row][[one.name for one in self.columns].index(column)]

    def first(self, rows: int) -> "ShownTable":
        """Return the same table with its first rows alone."""
        from dataclasses import replace

        return replace(self, rows=self.rows[:rows], cells=self.cells[:rows], records=self.records[:rows])


def records_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return rows as mappings by column."""
    return [dict(zip(columns, row, strict=True)) for row in rows]
