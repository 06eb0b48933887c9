"""Statements of the state are found by name: every name in the code is one, and every statement is named."""

import re
from pathlib import Path

from demur.engine.state import database

ENGINE = Path(database.__file__).parents[1]
_USE = re.compile(r'\.(?:run|run_each|read|read_each|write)\(\s*"(\w+)"')
_MADE = ("forget_", "put_", "rows_")
"""Beginnings of names that are made of the names of tables."""


def test_every_named_statement_exists_and_every_statement_is_named() -> None:
    code = "\n".join(path.read_text("utf-8") for path in sorted(ENGINE.rglob("*.py")))
    used = set(_USE.findall(code))
    texts = database._texts()
    assert len(used) > 20 and used <= texts.keys()
    assert [name for name in texts if f'"{name}"' not in code and not name.startswith(_MADE)] == []
