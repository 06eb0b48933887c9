"""What both databases of the state offer: statements by name, one at a time or several in a transaction."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from demur.warehouse.errors import DISK_FULL, LandingError, WarehouseError

T = TypeVar("T")
Values = Mapping[str, object]
Rows = list[tuple[Any, ...]]

VERSION: Final = 2
"""The version of the tables; a database with another one is refused."""
LACKING: Final = 1
"""The oldest version that has these tables but for some that it lacks."""
_SQL: Final = Path(__file__).parent / "sql"


class StateVersionError(OSError):
    """A database has tables of another version; where it only lacks some, `upgrade` makes them."""

    def __init__(self, place: object, version: int | None, elsewhere: str) -> None:
        self.only_lacks = version is not None and LACKING <= version < VERSION
        remedy = (
            "look at `demur home upgrade --plan`, then run `demur home upgrade`"
            if self.only_lacks
            else f"install the demur that made it, or {elsewhere}"
        )
        found = "another version" if version is None else f"version {version}"
        super().__init__(f"{place} has a state of {found}, and this demur needs version {VERSION}: {remedy}")


class Transaction(Protocol):
    """Statements that are committed together; they are those of the folder `sql`, by name."""

    def run(self, name: str, values: Values) -> Rows:
        """Run a statement and return its rows."""

    def run_each(self, name: str, values: Iterable[Values]) -> None:
        """Run a statement once for each set of values."""


class Database(ABC):
    """A database that threads share; a forked process opens it anew."""

    several_machines: bool
    """Whether processes of several machines may use it."""

    @abstractmethod
    def __str__(self) -> str:
        """Return its place without user and password."""

    @property
    @abstractmethod
    def remedy(self) -> str:
        """What to do where it cannot be used."""

    @abstractmethod
    def submit(self, work: Callable[[Transaction], T], *, durable: bool = True) -> "Future[T]":
        """Return the future of what `work` does in a transaction; it is on the disk then, unless it need not be.

        `work` may run several times, so it must bear to be run again after it was committed.
        """

    @abstractmethod
    def read(self, name: str, values: Values, *, patient: bool = True) -> Rows:
        """Return the rows of a statement that changes nothing; see `transact` for `patient`.

        Raises:
            OSError: the database cannot be used.
        """

    @abstractmethod
    def facts(self) -> tuple[str, float]:
        """Return what the database is, with its version, and by how many seconds its clock is ahead.

        Raises:
            OSError: the database cannot be used.
        """

    @abstractmethod
    def upgrade(self) -> None:
        """Make the tables that a database of an older version lacks.

        Raises:
            StateVersionError: they differ by more than that.
            OSError: the database cannot be used.
        """

    @abstractmethod
    def close(self) -> None:
        """Close all connections that nobody uses now; the next use opens new ones."""

    def transact(self, work: Callable[[Transaction], T], *, durable: bool = True, patient: bool = True) -> T:
        """Return what `work` does in a transaction; without `patient`, a database that is away is not waited for.

        Raises:
            OSError: the database cannot be used.
        """
        return self.submit(work, durable=durable).result()

    def write(self, name: str, values: Values, *, durable: bool = True) -> Rows:
        """Return the rows of a statement, which is committed then.

        Raises:
            OSError: the database cannot be used.
        """
        return self.transact(lambda transaction: transaction.run(name, values), durable=durable)

    def submit_write(self, name: str, values: Values) -> "Future[Rows]":
        """Return the future of the rows of a statement, which is on the disk then."""
        return self.submit(lambda transaction: transaction.run(name, values))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of the database inside the block into one that says what to do.

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
                f"{place}: {why}; {remedy}, then run the same command again: what was answered is kept"
            ) from exc


def text_of(name: str) -> str:
    """Return a statement, with its values written `:name`."""
    return _texts()[name]


@cache
def _texts() -> dict[str, str]:
    """Return all statements: each stands below a line `-- name: ...` in a file of the folder."""
    files = (path.read_text("utf-8") for path in sorted(_SQL.glob("*.sql")))
    sections = (section.partition("\n") for text in files for section in text.split("-- name: ")[1:])
    return {name.strip(): text.strip() for name, _, text in sections}


def is_current(place: object, version: int | None, elsewhere: str, *, may_upgrade: bool) -> bool:
    """Return whether a database has the tables of this version: not where it has none (0), or lacks some that are made.

    Raises:
        StateVersionError: it has those of another version; `elsewhere` says where this demur could have its state.
    """
    if version in (0, VERSION):
        return version == VERSION
    error = StateVersionError(place, version, elsewhere)
    if may_upgrade and error.only_lacks:
        return False
    raise error


def tables() -> list[str]:
    """Return the statements that make all tables that are missing."""
    lines = [line for line in (_SQL / "tables.sql").read_text("utf-8").splitlines() if not line.startswith("--")]
    return [text for text in "\n".join(lines).split(";") if text.strip()]
