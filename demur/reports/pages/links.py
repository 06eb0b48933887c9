"""Addresses of the explorer's pages on its server."""

from collections.abc import Callable
from typing import Final
from urllib.parse import quote, urlencode

PATHS: Final = {
    "rounds": "/",
    "compare_rounds": "/compare",
    "console": "/sql",
    "csv": "/sql.csv",
    "round": "/rounds/{round}",
    "results": "/rounds/{round}/results",
    "questions": "/rounds/{round}/questions",
    "items": "/rounds/{round}/items",
    "item": "/rounds/{round}/items/{id}",
    "read": "/rounds/{round}/read/{id}",
    "differences": "/rounds/{round}/differences",
    "marks": "/rounds/{round}/items/{id}/marks",
    "calls": "/rounds/{round}/calls/{unit}",
    "levers": "/rounds/{round}/levers",
    "lever": "/rounds/{round}/levers/{lever}",
    "compare": "/rounds/{round}/compare",
    "judges": "/rounds/{round}/judges",
    "audit": "/rounds/{round}/audit",
    "report": "/releases/{release}/report.html",
    "file": "/static/{name}",
}
"""The path of every page by name. Values that are not in the path become query parameters."""
VALUE: Final = "p_"
"""Prefix of query parameters with values of a console statement."""

To = Callable[..., str | None]


def to(page: str, /, **values: object) -> str:
    """Return the path and query of a page on the server; None values are omitted."""
    rest = {name: value for name, value in values.items() if value is not None}
    path = PATHS[page]
    for name in list(rest):
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", quote(str(rest.pop(name)), safe="/" if name == "release" else ""))
    return f"{path}?{urlencode(rest, doseq=True)}" if rest else path


def within(page: str, /, **values: object) -> None:
    """Return None in place of an address. Self-contained pages use this function, since they have no links."""
    return None
