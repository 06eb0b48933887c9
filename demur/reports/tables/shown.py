"""A table for display: title, columns, and cells both raw and formatted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from demur.reports.tables.formats import CellKind

if TYPE_CHECKING:
    import pandas as pd

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Column:
    """One shown column; `explanation` is the meaning of its values, empty if the heading suffices.

    A terminal that is too narrow for the table hides `aside` columns, the last one first.
    """

    name: str
    heading: str
    align: Align
    explanation: str
    kind: CellKind
    aside: bool


@dataclass(frozen=True, slots=True)
class ShownTable:
    """Rows of a named table. `rows` and `cells` have the shown `columns`; `records` have all `raw_columns`.

    Cells are formatted texts; rows and records have raw values, with None for nulls. `conclusion` is a sentence on the
    rows or None; `empty` is the text of a table without rows.
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
        """Return a cell by row number (from 0) and column name."""
        return self.cells[row][[one.name for one in self.columns].index(column)]

    @property
    def raw_rows(self) -> list[list[Any]]:
        """The values of the records in the order of `raw_columns`."""
        return [[record.get(name) for name in self.raw_columns] for record in self.records]

    def frame(self) -> "pd.DataFrame":
        """Return the records as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.raw_rows, columns=list(self.raw_columns))

    def without(self, name: str) -> "ShownTable":
        """Return a copy without one column."""
        kept = [at for at, column in enumerate(self.columns) if column.name != name]
        return replace(
            self,
            columns=tuple(self.columns[at] for at in kept),
            rows=tuple(tuple(row[at] for at in kept) for row in self.rows),
            cells=tuple(tuple(row[at] for at in kept) for row in self.cells),
        )

    def first(self, rows: int) -> "ShownTable":
        """Return a copy with only the first rows."""
        return replace(self, rows=self.rows[:rows], cells=self.cells[:rows], records=self.records[:rows])
