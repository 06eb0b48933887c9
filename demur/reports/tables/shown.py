"""A table for display. It has the formatted cells and the raw values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from demur.reports import names
from demur.reports.tables.formats import TO_THE_RIGHT, UNKNOWN, CellKind, with_interval, written

if TYPE_CHECKING:
    import pandas as pd


class Column(BaseModel):
    """The declaration of how one column of an SQL statement is shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    heading: str
    kind: CellKind = CellKind.TEXT
    explanation: str = ""
    """The meaning of the values; empty if the heading suffices."""
    interval: tuple[str, str] | None = None
    """The columns of the lower and upper end of the value's interval, shown in the value's cell."""
    if_null: str = UNKNOWN
    """The text of a null."""
    reason: str | None = None
    """The column with the reason of a null; if that is null too, `if_null` is shown."""
    named: str | None = None
    """The mapping of `demur.reports.names` with names of the values."""
    hidden_if_all: Any = None
    """Hide the column if every row has this value."""
    aside: bool = False
    """Hide the column in a terminal that is too narrow for the table. The last column of this kind is hidden first."""
    hidden_if_same: bool = False
    """Hide the column if all rows have the same value."""

    @property
    def align(self) -> Literal["left", "right"]:
        """The alignment of cells: right for numbers."""
        return "right" if self.kind in TO_THE_RIGHT else "left"

    def cell(self, row: Mapping[str, Any]) -> str:
        """Return the text of this column's cell in a row."""
        value = row.get(self.name)
        if self.named is not None and isinstance(value, str):
            return str(getattr(names, self.named).get(value, value))
        reason = (row.get(self.reason) if self.reason else None) or self.if_null
        said = written(value, self.kind, str(reason))
        if value is None or self.interval is None:
            return said
        return with_interval(said, row.get(self.interval[0]), row.get(self.interval[1]), self.kind)

    def says_nothing(self, values: Iterable[object]) -> bool:
        """Return whether to hide the column, if `values` are all its values."""
        found = list(values)
        if not found:
            return False
        if all(value is None for value in found):
            # an unknown price must be seen, since nothing would read as free
            return self.reason is None or self.kind is not CellKind.DOLLARS
        if self.hidden_if_all is not None and all(value == self.hidden_if_all for value in found):
            return True
        return self.hidden_if_same and all(value == found[0] for value in found)


@dataclass(frozen=True, slots=True)
class ShownTable:
    """Rows of a named table.

    `rows` and `cells` have only the visible `columns`. `records` have all `raw_columns`. `cells` has formatted texts.
    `rows` and `records` have raw values, with None for nulls. `conclusion` is a sentence on the rows, or None. `empty`
    is the text in place of a table without rows.
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
