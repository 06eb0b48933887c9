"""A table for people: title, columns, and every cell both raw and in words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from demur.reports.tables.formats import CellKind

if TYPE_CHECKING:
    import pandas as pd

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Column:
    """One shown column; `explanation` gives the meaning of its values, empty if the heading does.

    In a terminal too narrow for the table, `aside` columns are left out, the last first.
    """

    name: str
    heading: str
    align: Align
    explanation: str
    kind: CellKind
    aside: bool


@dataclass(frozen=True, slots=True)
class ShownTable:
    """Rows of a named table. `rows` and `cells` have the shown `columns`, `records` all `raw_columns` of the statement.

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
    raw_columns: tuple[str, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the shown columns."""
        return tuple(column.heading for column in self.columns)

    def cell(self, row: int, column: str) -> str:
        """Return one cell by the number of its row and the name of its column."""
        return self.cells[row][[one.name for one in self.columns].index(column)]

    @property
    def raw_rows(self) -> list[list[Any]]:
        """The records in the order of `raw_columns`."""
        return [[record.get(name) for name in self.raw_columns] for record in self.records]

    def frame(self) -> "pd.DataFrame":
        """Return the records as a frame."""
        import pandas as pd

        return pd.DataFrame(self.raw_rows, columns=list(self.raw_columns))

    def without(self, name: str) -> "ShownTable":
        """Return the same table without one column."""
        kept = [at for at, column in enumerate(self.columns) if column.name != name]
        return replace(
            self,
            columns=tuple(self.columns[at] for at in kept),
            rows=tuple(tuple(row[at] for at in kept) for row in self.rows),
            cells=tuple(tuple(row[at] for at in kept) for row in self.cells),
        )

    def first(self, rows: int) -> "ShownTable":
        """Return the same table with its first rows alone."""
        return replace(self, rows=self.rows[:rows], cells=self.cells[:rows], records=self.records[:rows])
