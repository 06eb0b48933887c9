"""SQL statements of pages, built from files. Values are always bound, never formatted into the text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_IF: Final = re.compile(r"\s*-- if (\w+)$")
_INCLUDED: Final = re.compile(r"\s*-- include (\w+)$")
_PARAMETER: Final = re.compile(r"\$([a-z_0-9]+)")

ORDERS: Final = {
    "stratum": "class NULLS LAST, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END, id",
    "difficulty": "difficulty DESC NULLS LAST, id",
    "easiest": "difficulty NULLS LAST, id",
    "disagreement": "disagreement DESC NULLS LAST, id",
    "verifiers": "verifier_disagreement DESC NULLS LAST, id",
    "cost": "cost_usd DESC NULLS LAST, id",
    "lever": "lever NULLS LAST, id",
    "generator": "generator NULLS LAST, id",
    "status": "status, id",
}
"""ORDER BY clauses of lists of items; no other texts are formatted into statements."""


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """A statement and the values of its parameters (`$name`)."""

    sql: str
    values: dict[str, object]


def parts_of(file: Path, values: Mapping[str, object], order: str | None = None) -> BoundStatement:
    """Return a file's statement with its values.

    A line that ends in `-- if NAME` is omitted if `values` has no NAME, or None. `${order}` is replaced by the entry
    `order` of ORDERS. The result has only those values whose names occur in the remaining lines.
    """
    given = {name for name, value in values.items() if value is not None}
    lines = []
    for line in _lines(file):
        wanted = _IF.search(line)
        if wanted is None:
            lines.append(line)
        elif wanted[1] in given:
            lines.append(_IF.sub("", line))
    sql = "\n".join(lines)
    if order is not None:
        sql = sql.replace("${order}", ORDERS[order])
    return BoundStatement(sql, {name: values[name] for name in dict.fromkeys(_PARAMETER.findall(sql))})


@cache
def _lines(file: Path) -> tuple[str, ...]:
    """Return the lines of a statement; `-- include NAME` is replaced by the lines of NAME.sql in the same folder."""
    found: list[str] = []
    for line in file.read_text(encoding="utf-8").strip().removesuffix(";").splitlines():
        included = _INCLUDED.match(line)
        found += [line] if included is None else _lines(file.with_name(f"{included[1]}.sql"))
    return tuple(found)
