"""Named tables as text for a terminal and as Markdown. `templates/macros.html` writes tables as HTML."""

from demur.reports.tables.shown import ShownTable
from demur.warehouse.formats import GAP, as_markdown, as_table, places_of


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
