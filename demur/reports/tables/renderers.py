"""Named tables as text for a terminal and as Markdown; `templates/table.html` is the same as HTML."""

from demur.reports.tables.shown import ShownTable
from demur.warehouse.formats import as_markdown, as_table


def text_of(table: ShownTable, widest: int | None = None) -> str:
    """Return the rows of a table for a terminal of so many places, or what is said where there are none."""
    if not table.rows:
        return table.empty
    return as_table(table.headings, table.cells, widest, right=_right(table))


def titled_text(table: ShownTable, widest: int | None = None) -> str:
    """Return a table for a terminal with its title above and its conclusion below."""
    parts = [table.title, text_of(table, widest)]
    return "\n".join([*parts, table.conclusion] if table.conclusion else parts)


def markdown_of(table: ShownTable) -> str:
    """Return caption, rows and conclusion of a table as Markdown, without its title."""
    if not table.rows:
        return table.empty
    parts = [table.caption, as_markdown(table.headings, table.cells, right=_right(table)), table.conclusion]
    return "\n\n".join(part for part in parts if part)


def _right(table: ShownTable) -> list[bool]:
    return [column.align == "right" for column in table.columns]
