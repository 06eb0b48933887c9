"""What commands print: text as it is into files and pipes, and nothing that acts on a terminal."""

import sys

from demur.warehouse.formats import inert


def echo(text: object = "", *, err: bool = False) -> None:
    """Print a text and a line feed; a terminal gets control characters of what it quotes as visible escapes."""
    stream = sys.stderr if err else sys.stdout
    print(inert(str(text)) if stream.isatty() else text, file=stream, flush=True)
