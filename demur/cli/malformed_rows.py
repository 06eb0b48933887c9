"""Messages about malformed rows of response files."""

from typing import TYPE_CHECKING, Final

from demur.cli.printing import echo
from demur.reports.text import counted

if TYPE_CHECKING:
    from demur.exchange.responses.file import ResponseFile

MALFORMED: Final = 1
"""Exit status if rows were left out."""

MOST_LISTED: Final = 1_000
_MOST_NAMED: Final = 10


def report_malformed(found: "ResponseFile", done: str) -> None:
    """Print malformed rows, their number and unread fields. `done` says what was done with the other rows."""
    for problem in found.malformed[:MOST_LISTED]:
        echo(f"{found.path}: {problem}", err=True)
    if len(found.malformed) > MOST_LISTED:
        echo(f"{found.path}: and {len(found.malformed) - MOST_LISTED} more", err=True)
    if found.malformed:
        echo(
            f"demur: {len(found.malformed)} of {counted(found.lines, 'row')} malformed and left out, "
            f"{len(found.rows)} {done}",
            err=True,
        )
    if found.others:
        names = ", ".join(ascii(name)[1:-1] for name, _ in found.others.most_common(_MOST_NAMED))
        more = f" and {len(found.others) - _MOST_NAMED} more" if len(found.others) > _MOST_NAMED else ""
        echo(f"demur: fields not read: {names}{more}", err=True)
