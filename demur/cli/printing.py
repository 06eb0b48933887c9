"""Output of commands: text as it is into files and pipes, without control characters to a terminal."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from demur.warehouse.formats import Format, Rows, inert, render


def echo(text: object = "", *, err: bool = False) -> None:
    """Print a text and a line feed; a terminal gets control characters of what it quotes as visible escapes."""
    stream = sys.stderr if err else sys.stdout
    print(inert(str(text)) if stream.isatty() else text, file=stream, flush=True)


def fill_closed_streams() -> None:
    """Let what is printed to a standard stream that was closed (`>&-`) be lost; Python has None in its place.

    Its number is taken too: the next file that is opened would have it, and get what a library prints.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115


def echo_rows(how: Format, columns: Sequence[str], rows: Rows, *, err: bool = False) -> None:
    """Print rows in one of the formats, tables so that they fit the terminal."""
    echo(render(how, columns, rows, terminal_width()), err=err)


def terminal_width() -> int | None:
    """Return how many places a line of the terminal has, None where output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
