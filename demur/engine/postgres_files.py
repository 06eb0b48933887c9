"""Files of a stage's batches in a database."""

import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import psycopg

from demur.engine.batch_store import Files
from demur.engine.postgres import Database, explained, text_of

PART_BYTES: Final = 4_000_000
"""About as much of a long file stands in one row; lines are whole."""


class PostgresFiles(Files):
    """Files of one stage in a database."""

    def __init__(self, kept_in: Database, values: Mapping[str, Any]) -> None:
        self._database = kept_in
        self._values = values

    def names(self, suffix: str) -> list[str]:
        """Return the names that end so."""
        return [str(name) for (name,) in self._run("file_names", suffix=suffix)]

    def read(self, name: str) -> bytes:
        """Return what a file holds."""
        return b"".join(content for (content,) in self._run("file_parts", name=name))

    def part(self, name: str, start: int, length: int) -> bytes:
        """Return so many bytes of it, which stand in one row."""
        [(content,)] = self._run("file_part", name=name, start=start, length=length)
        return bytes(content)

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield its lines."""
        for (content,) in self._run("file_parts", name=name):
            yield from bytes(content).splitlines(keepends=True)

    def write(self, name: str, data: bytes) -> None:
        """Write a file in place of the one that is there."""
        self._replace(name, lambda: [data])

    def draft(self, name: str) -> Path:
        """Return where a long file is written first."""
        return Path(tempfile.gettempdir()) / f"demur-{uuid.uuid4().hex}-{name}"

    def keep(self, draft: Path, name: str) -> None:
        """Take a draft as the file."""
        self._replace(name, lambda: _parts(draft))
        draft.unlink()

    def delete(self, name: str) -> None:
        """Delete a file, if there is one."""
        self._run("delete_file", name=name)

    def _replace(self, name: str, parts: Callable[[], Iterable[bytes]]) -> None:
        def replace(con: psycopg.Connection[Any]) -> None:
            start = 0
            con.execute(text_of("delete_file"), {**self._values, "name": name})
            for content in parts():
                con.execute(text_of("add_part"), {**self._values, "name": name, "start": start, "content": content})
                start += len(content)

        with explained():
            self._database.transact(replace)

    def _run(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        with explained():
            return self._database.run(statement, {**self._values, **values})


def _parts(draft: Path) -> Iterator[bytes]:
    with draft.open("rb") as lines:
        yield from iter(lambda: b"".join(lines.readlines(PART_BYTES)), b"")
