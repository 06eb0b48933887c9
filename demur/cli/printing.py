"""Output of commands: text as it is into files and pipes, without control characters to a terminal."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from demur.warehouse.formats import Format, Rows, as_objects, inert, render

if TYPE_CHECKING:
    from demur.reports.tables import ShownTable

WIDEST: Final = 100
"""Places of a line where there is no terminal."""


def echo(text: object = "", *, err: bool = False) -> None:
    """Print a text and a line feed; in a terminal, control characters are written as visible escapes."""
    stream = sys.stderr if err else sys.stdout
    print(inert(str(text)) if stream.isatty() else text, file=stream, flush=True)


def fill_closed_streams() -> None:
    """Discard output to a standard stream that was closed (`>&-`), for which Python has None.

    Its file descriptor is taken too. Otherwise the next opened file would get it, and with it the output of libraries.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Send output of other libraries in the block, and of processes started in it, to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def echo_rows(how: Format, columns: Sequence[str], rows: Rows, *, err: bool = False) -> None:
    """Print rows in one of the formats. Tables are fitted to the terminal's width."""
    echo(render(how, columns, rows, terminal_width()), err=err)


def echo_table(how: Format, table: "ShownTable", *, err: bool = False) -> None:
    """Print a named table in one of the formats: CSV and JSON have all its columns and raw values."""
    from demur.reports.tables.renderers import markdown_of, text_of

    if how is Format.TABLE:
        echo(text_of(table, terminal_width() or WIDEST), err=err)
    elif how is Format.MARKDOWN:
        echo(markdown_of(table), err=err)
    else:
        echo(render(how, table.raw_columns, table.raw_rows), err=err)


def objects_of(table: "ShownTable") -> list[dict[str, object]]:
    """Return the raw records of a named table, of values that JSON has a form for."""
    return as_objects(table.raw_columns, table.raw_rows)


def size_text(number: int) -> str:
    """Return a number of bytes as people read it."""
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.1f} MB"


def terminal_width() -> int | None:
    """Return how many places a line of the terminal has, None where output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
