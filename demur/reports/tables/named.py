"""Declared tables, their rows in a form for display, and named tables as text and Markdown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from demur.reports import names
from demur.reports.tables.formats import TO_THE_RIGHT, UNKNOWN, CellKind, with_interval, written
from demur.warehouse.results.formats import GAP, as_markdown, as_table, places_of
from demur.warehouse.results.snapshots import BoundStatement, parts_of
from demur.warehouse.statements import with_stages
from demur.warehouse.transactions import Connection

if TYPE_CHECKING:
    import pandas as pd


# A table for display. It has the formatted cells and the raw values.


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


# Declared tables, and their rows in a form for display.


DECLARED: Final = Path(__file__).parent / "declared"


class NamedTable(BaseModel):
    """A declared table: title, texts, and columns in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    sql: str | None = None
    """The table whose SQL statement is used; None for the table's own."""
    caption: str = ""
    conclusion: str | None = None
    """A sentence with placeholders `{column}` for cells of the first row; omitted if one of them is null."""
    empty: str = "None."
    columns: dict[str, Column] = Field(min_length=1)

    def statement(self, **parameters: object) -> BoundStatement:
        """Return the table's SQL statement bound to parameters."""
        found = parts_of(DECLARED / f"{self.sql or self.name}.sql", parameters)
        return BoundStatement(with_stages(found.sql), found.values)

    def read(self, connection: Connection, **parameters: object) -> ShownTable:
        """Run the statement and return its rows for display."""
        asked = self.statement(**parameters)
        found = connection.execute(asked.sql, asked.values or None)
        columns = [str(column[0]) for column in found.description]
        return self.shown((dict(zip(columns, row, strict=True)) for row in found.fetchall()), columns)

    def shown(self, records: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None) -> ShownTable:
        """Return records for display. `columns` names all fields of the records (default: the declared columns)."""
        rows = tuple(records)
        kept = {
            name: column
            for name, column in self.columns.items()
            if not column.says_nothing(row.get(name) for row in rows)
        }
        return ShownTable(
            name=self.name,
            title=self.title,
            caption=self.caption,
            conclusion=self._conclusion(rows),
            empty=self.empty,
            columns=tuple(kept.values()),
            rows=tuple(tuple(row.get(name) for name in kept) for row in rows),
            cells=tuple(tuple(column.cell(row) for column in kept.values()) for row in rows),
            records=rows,
            raw_columns=tuple(self.columns if columns is None else columns),
        )

    def _conclusion(self, rows: tuple[Mapping[str, Any], ...]) -> str | None:
        sentence = self.conclusion
        if sentence is None or not rows:
            return None
        used = {name: column for name, column in self.columns.items() if f"{{{name}}}" in sentence}
        if any(rows[0].get(name) is None for name in used):
            return None
        return sentence.format(**{name: column.cell(rows[0]) for name, column in used.items()})


@cache
def named_table(name: str) -> NamedTable:
    """Return the declared table of a name.

    Raises:
        KeyError: there is no such table.
    """
    file = DECLARED / f"{name}.yaml"
    if not file.is_file():
        raise KeyError(f"table '{name}' is not one of {', '.join(table_names())}")
    found = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    columns = {column: {"name": column, **declared} for column, declared in found["columns"].items()}
    return NamedTable.model_validate({**found, "name": name, "columns": columns})


def table_names() -> list[str]:
    """Return the names of all declared tables, sorted."""
    return sorted(file.stem for file in DECLARED.glob("*.yaml"))


# Named tables as text for a terminal and as Markdown. `templates/macros.html` writes tables as HTML.


def text_of(table: ShownTable, widest: int | None = None, *, brief: bool = False) -> str:
    """Return the rows of a table for a terminal of `widest` characters. If there are no rows, return a message.

    A last line names the columns that are hidden for lack of room. With `brief` there is no such line.
    """
    if not table.rows:
        return table.empty
    left_out: list[str] = []
    fitting = table
    while widest is not None and _narrowest(fitting) > widest:
        asides = [column for column in fitting.columns if column.aside]
        if not asides:
            break
        left_out.insert(0, asides[-1].heading)
        fitting = fitting.without(asides[-1].name)
    text = as_table(fitting.headings, fitting.cells, widest, right=_right(fitting))
    return f"{text}\nnot shown for want of room: {', '.join(left_out)}" if left_out and not brief else text


def facts_of(table: ShownTable) -> str:
    """Return the first row of a table as lines. Each line has the heading of a column and its cell."""
    if not table.rows:
        return table.empty
    widest = max(map(len, table.headings))
    return "\n".join(
        f"{heading:{widest}}  {cell}" for heading, cell in zip(table.headings, table.cells[0], strict=True)
    )


def titled_text(table: ShownTable, widest: int | None = None) -> str:
    """Return a table for a terminal with its title above and its conclusion below."""
    parts = [table.title, text_of(table, widest)]
    return "\n".join([*parts, table.conclusion] if table.conclusion else parts)


def markdown_of(table: ShownTable) -> str:
    """Return the rows of a table as Markdown. If there are no rows, return a message."""
    return as_markdown(table.headings, table.cells, right=_right(table)) if table.rows else table.empty


def titled_markdown(table: ShownTable) -> str:
    """Return a table as a section of Markdown: title, caption, rows and conclusion."""
    parts = (table.caption, markdown_of(table), table.conclusion) if table.rows else (table.empty,)
    return "\n\n".join([f"## {table.title}", *(part for part in parts if part)])


def _narrowest(table: ShownTable) -> int:
    """Return the least width, in characters, that shortens no cell and splits no word of a heading."""
    words = (max(map(places_of, heading.split())) for heading in table.headings)
    cells = (max(map(places_of, column)) for column in zip(*table.cells, strict=True))
    return sum(map(max, words, cells)) + len(GAP) * (len(table.columns) - 1)


def _right(table: ShownTable) -> list[bool]:
    return [column.align == "right" for column in table.columns]
