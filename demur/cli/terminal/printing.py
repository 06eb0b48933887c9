"""Output of commands. Text goes unchanged to files and pipes. A terminal gets no control characters."""

import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from demur.warehouse.results.formats import Format, Rows, as_objects, inert, render

if TYPE_CHECKING:
    from demur.reports.tables import ShownTable

WIDEST: Final = 100
"""Width of lines without a terminal, in characters."""


def echo(text: object = "", *, err: bool = False) -> None:
    """Print a text and a line feed. On a terminal, control characters appear as visible escapes."""
    stream = sys.stderr if err else sys.stdout
    print(inert(str(text)) if stream.isatty() else text, file=stream, flush=True)


def replace_unprintable() -> None:
    """Let standard streams print a replacement for characters that their encoding lacks, such as "?" in cp1252."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def fill_closed_streams() -> None:
    """Redirect closed standard streams (`>&-`), which Python represents as None, to the null device.

    If the file descriptors stayed free, the next opened file would receive the output of libraries.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Redirect standard output to standard error inside the block.

    The output of libraries and of child processes is redirected too.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def echo_rows(how: Format, columns: Sequence[str], rows: Rows) -> None:
    """Print rows in a format. Tables are fitted to the width of the terminal."""
    echo(render(how, columns, rows, terminal_width()))


def echo_table(how: Format, table: "ShownTable", *, err: bool = False) -> None:
    """Print a named table in a format. CSV and JSON have all columns and raw values."""
    from demur.reports.tables.named import markdown_of, text_of

    if how is Format.TABLE:
        echo(text_of(table, terminal_width() or WIDEST), err=err)
    elif how is Format.MARKDOWN:
        echo(markdown_of(table), err=err)
    else:
        echo(render(how, table.raw_columns, table.raw_rows), err=err)


def objects_of(table: "ShownTable") -> list[dict[str, object]]:
    """Return the raw records of a named table as JSON values."""
    return as_objects(table.raw_columns, table.raw_rows)


def size_text(number: int) -> str:
    """Return a number of bytes as text in MB, or in GB from one GB on."""
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.1f} MB"


def terminal_width() -> int | None:
    """Return the width of the terminal in characters, or None if standard output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
