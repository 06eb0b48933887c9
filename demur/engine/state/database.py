"""The interface of both databases of the state. Statements have names, and can be combined in transactions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from demur.engine.state.locks import Holder, Lock
from demur.warehouse.errors import DISK_FULL, LandingError, WarehouseError

T = TypeVar("T")
Values = Mapping[str, object]
Rows = list[tuple[Any, ...]]

VERSION: Final = 6
"""The version of the tables, and of the ids in them. A database with another version is refused."""
_SQL: Final = Path(__file__).parent / "sql"


class StateVersionError(OSError):
    """A database has tables or ids of another version."""

    def __init__(self, place: object, version: int | None, elsewhere: str) -> None:
        found = "another version" if version is None else f"version {version}"
        super().__init__(
            f"{place} has a state of {found}, and this demur needs version {VERSION}: install the demur that made it, "
            f"or {elsewhere}. Releases of the old home can be evaluated and graded from the new one, by their path"
        )


class Transaction(Protocol):
    """Statements that are committed together. The files in the folder `sql` give the names of statements."""

    def run(self, name: str, values: Values) -> Rows:
        """Run a statement and return its rows."""

    def run_each(self, name: str, values: Iterable[Values]) -> None:
        """Run a statement once for each set of values."""


class Database(ABC):
    """A database shared by threads. A forked process opens its own connections."""

    several_machines: bool
    """Whether processes on several machines may use the database."""

    @abstractmethod
    def __str__(self) -> str:
        """Return the address of the database, without user and password."""

    @property
    @abstractmethod
    def remedy(self) -> str:
        """The remedy if the database cannot be used."""

    @abstractmethod
    def submit(self, work: Callable[[Transaction], T], *, durable: bool = True) -> "Future[T]":
        """Return the future of the result of `work` in a transaction.

        When the future is done and `durable` is True, the transaction is on disk. `work` must be idempotent, because
        `work` may run several times, even after a commit.
        """

    @abstractmethod
    def read(self, name: str, values: Values, *, patient: bool = True) -> Rows:
        """Return the rows of a read-only statement. `patient` means the same as for `transact`.

        Raises:
            OSError: the database cannot be used.
        """

    @abstractmethod
    def read_each(self, name: str, values: Iterable[Values]) -> list[Rows]:
        """Return the rows of a read-only statement for each set of values, over one connection.

        Raises:
            OSError: the database cannot be used.
        """

    @abstractmethod
    def lock(self, name: str, part: str = "") -> Lock | None:
        """Take the lock of a name, or of a part of what has this name; None if it is taken already.

        Raises:
            OSError: the database cannot be used.
        """

    @abstractmethod
    def holder(self, name: str) -> Holder | None:
        """Return the process that has the lock of a name; None if there is none.

        Raises:
            OSError: the database cannot be used.
        """

    @abstractmethod
    def has_locked_parts(self, name: str) -> bool:
        """Return whether a process has the lock of a part of what has this name.

        Raises:
            OSError: the database cannot be used.
        """

    @abstractmethod
    def facts(self) -> tuple[str, float]:
        """Return the database's name and version, and the seconds by which its clock is ahead of the local clock.

        Raises:
            OSError: the database cannot be used.
        """

    @abstractmethod
    def shrink(self) -> None:
        """Give the space of deleted rows back to the disk, where the database does not do so by itself."""

    @abstractmethod
    def close(self) -> None:
        """Close all idle connections. The next statement opens a new connection."""

    def transact(self, work: Callable[[Transaction], T], *, durable: bool = True, patient: bool = True) -> T:
        """Return the result of `work` in a transaction.

        If `patient` is False and the database does not answer, the call fails at once.

        Raises:
            OSError: the database cannot be used.
        """
        return self.submit(work, durable=durable).result()

    def write(self, name: str, values: Values, *, durable: bool = True) -> Rows:
        """Return the rows of a statement after its commit.

        Raises:
            OSError: the database cannot be used.
        """
        return self.transact(lambda transaction: transaction.run(name, values), durable=durable)

    def submit_write(self, name: str, values: Values) -> "Future[Rows]":
        """Return the future of the rows of a statement. When the future is done, the change is on disk."""
        return self.submit(lambda transaction: transaction.run(name, values))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of the database inside the block into a LandingError with the remedy.

        Raises:
            LandingError: the database cannot be used.
        """
        try:
            yield
        except WarehouseError:
            raise
        except StateVersionError as exc:
            raise LandingError(str(exc)) from exc
        except OSError as exc:
            place = exc.filename or "DEMUR_STATE"
            why = exc.strerror or exc
            remedy = "free some space" if exc.errno in DISK_FULL else self.remedy
            raise LandingError(
                f"{place}: {why}; {remedy}, then run the same command again: all answers so far are kept"
            ) from exc


def text_of(name: str) -> str:
    """Return the SQL of a named statement. Values are written `:name`."""
    return _texts()[name]


@cache
def _texts() -> dict[str, str]:
    """Return all statements by name. In the files, each statement follows a line `-- name: ...` with its name."""
    files = (path.read_text("utf-8") for path in sorted(_SQL.glob("*.sql")))
    sections = (section.partition("\n") for text in files for section in text.split("-- name: ")[1:])
    return {name.strip(): text.strip() for name, _, text in sections}


def is_current(place: object, version: int | None, elsewhere: str) -> bool:
    """Return True if a database has the tables of this version, False if tables must be created.

    Args:
        place: The database, named in the message of an error.
        version: The version of the tables; 0 if there are no tables, None if the version is unknown.
        elsewhere: The remedy in the message of an error: how to use another database.

    Raises:
        StateVersionError: the tables are of another version.
    """
    if version not in (0, VERSION):
        raise StateVersionError(place, version, elsewhere)
    return version == VERSION


def tables() -> list[str]:
    """Return the statements that create all missing tables."""
    lines = [line for line in (_SQL / "tables.sql").read_text("utf-8").splitlines() if not line.startswith("--")]
    return [text for text in "\n".join(lines).split(";") if text.strip()]
