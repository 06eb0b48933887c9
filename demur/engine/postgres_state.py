"""State of rounds in a PostgreSQL database: for processes of all machines, wherever their homes are.

Rows name the home that they belong to, so that several may use one database.
"""

import math
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import orjson
import psycopg

from demur.engine.batch_store import Files, StageBatches
from demur.engine.file_state import SharedState
from demur.engine.heartbeat import Heartbeat, ProcessSession
from demur.engine.journal import GroupJournal, JournalError
from demur.engine.lease import ShardLease, closing
from demur.engine.postgres import Database, database, explained, text_of
from demur.engine.postgres_ledger import BoundedLease, PostgresLedger
from demur.levers.durable import replace_durably, write_once
from demur.warehouse.budget_ledger import BudgetLedger, Lease
from demur.warehouse.errors import LandingError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.journals import successful_calls
from demur.warehouse.order_locks import OnWait, order_files, wait_until_free
from demur.warehouse.stored_orders import offer_order, order_stands, withdraw_offer, withdraw_offers
from demur.warehouse.units import KnownCall, Order, withdraw

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


_FROM_STATE: Final = "state"

Values = dict[str, object]


class PostgresState(SharedState):
    """The state of the rounds of one home."""

    def __init__(self, home: Home, kept_in: Database, heartbeat: Heartbeat) -> None:
        super().__init__(home)
        self._database = kept_in
        self._heartbeat = heartbeat
        self._lease_seconds = heartbeat.timing.lease_seconds
        self._id = _home_id(home)

    def __str__(self) -> str:
        """Return the database without user and password."""
        return str(self._database)

    def check_answers(self) -> None:
        """Return if the database answers now, and has the tables of this version; raises LandingError."""
        with explained():
            self._database.facts()

    def journal(self, round_id: str, stage: str, shard: str) -> "PostgresJournal":
        """Return the journal of a shard, to be entered."""
        return PostgresJournal(self._database, self._of(round_id, stage, shard))

    def answered(self, round_id: str, stage: str, shard: str) -> dict[str, list[KnownCall]]:
        """Return the successful calls of a journal that is not folded yet."""
        with explained():
            groups = self._database.run("recorded", self._of(round_id, stage, shard))
        return successful_calls(line for _, lines in groups for line in lines.splitlines())

    def ledger(self, round_id: str, stage: str) -> "PostgresLedger":
        """Return the budget ledger of a stage."""
        return PostgresLedger(self._database, self._of(round_id, stage))

    def lease(self, round_id: str, stage: str, shard: str) -> AbstractAsyncContextManager[ShardLease | None]:
        """Open a lease of a stage's budget."""
        return closing(BoundedLease(self.ledger(round_id, stage), self._heartbeat, shard))

    def hold(self, round_id: str, stage: str, order: Order) -> "PostgresHold | None":
        """Hold an order, None where somebody else does."""
        with explained():
            held = PostgresHold(
                self._database, self._heartbeat.session(), self._prefix(round_id, stage) + order.path.name
            )
            if not held.take(self._lease_seconds):
                return None
        if not order_stands(self._home, order.path):  # who withdraws deletes the file, then looks who holds it
            held.let_go()
            raise FileNotFoundError(order.path)
        return held

    def offer(self, order: Order) -> None:
        """Let workers of all machines find an order."""
        offer_order(self._home, order.path)

    def withdraw(self, round_id: str, stage: str, order: Order) -> None:
        """Let none of an order's units be begun any more."""
        withdraw(order)
        withdraw_offer(self._home, order.path)
        with explained():
            self._database.run("withdraw", {"prefix": self._prefix(round_id, stage) + order.path.name})

    def withdraw_all(self, round_id: str, stage: str, *, wait_seconds: float, on_wait: OnWait) -> None:
        """Withdraw every order of a stage, and return once nobody works on one."""
        orders = order_files(self._home, round_id, stage)
        prefix = {"prefix": self._prefix(round_id, stage)}
        with disk_explained(self._home.orders(round_id, stage)):
            for path in orders:
                path.unlink()
        withdraw_offers(self._home, round_id, stage)
        with explained():
            self._database.run("withdraw", prefix)
            held = {**prefix, "lease_seconds": self._lease_seconds}
            place = Path(next(iter(self._database.run("held", held)), [stage])[0])
            wait_until_free(place, lambda: bool(self._database.run("held", held)), wait_seconds, on_wait)
            self._database.run("free", prefix)

    def batches(self, round_id: str, stage: str) -> StageBatches:
        """Return the batches of a stage."""
        files = PostgresFiles(self._database, self._of(round_id, stage))
        return StageBatches(self._home, round_id, stage, files)

    @contextmanager
    def folding(self, round_id: str, stage: str | None = None, closed: Collection[str] | None = None) -> Iterator[None]:
        """Bring what the loader reads to it, which has it for good where the block ends without an error."""
        with explained():
            self.end_expired_leases()
            kept = self._of(round_id, "")
            stages = [stage] if stage is not None else [str(one) for (one,) in self._database.run("stages", kept)]
            brought = [values for one in stages for values in self._brought(round_id, one, closed)]
        yield
        with explained():
            for values in brought:
                self._database.run("forget", values)

    def end_expired_leases(self) -> None:
        """Take back what shards of dead processes had and cannot have spent.

        That is what they were granted, less what their journals count, less the most that they may have had under way.
        """
        for lease_id, *place, in_flight_usd in self._database.run(
            "expired_leases", {"lease_seconds": self._lease_seconds}
        ):
            values: Values = dict(zip(("home", "round_id", "stage", "shard"), place, strict=True))
            self._database.transact(partial(_end_lease, values, lease_id, in_flight_usd))

    def _brought(self, round_id: str, stage: str, closed: Collection[str] | None) -> Iterator[Values]:
        """Write what the loader reads; yield what may be deleted once it has that."""
        of_stage = self._of(round_id, stage)
        self.batches(round_id, stage).bring()
        for (shard,) in self._database.run("journals", of_stage):
            if closed is None or shard in closed:
                values = self._of(round_id, stage, shard)
                groups = self._database.run("recorded", values)
                path = self._home.journals(round_id, stage) / f"{shard}.{_FROM_STATE}.jsonl"
                with disk_explained(path, LandingError):
                    replace_durably(path, b"".join(lines for _, lines in groups))
                yield {**values, "groups": [group for group, _ in groups]}
        if closed is None:
            for total_usd, _ in self._database.run("left", of_stage):
                leases = [Lease(*row) for row in self._database.run("leases", of_stage)]
                BudgetLedger(self._home.budget_ledger(round_id, stage)).replace(total_usd, leases)

    def _of(self, round_id: str, stage: str, shard: str = "") -> Values:
        return {"home": self._id, "round_id": round_id, "stage": stage, "shard": shard}

    def _prefix(self, round_id: str, stage: str) -> str:
        return f"{self._id}/{round_id}/{stage}/"


class UnreachableJournalError(JournalError, ConnectionError):
    """A database does not answer, so that a call cannot be made durable."""


class PostgresJournal(GroupJournal):
    """A journal in a database, one row for each group of calls."""

    error = UnreachableJournalError

    def __init__(self, kept_in: Database, values: Values) -> None:
        super().__init__(Path(str(values["shard"])))
        self._database = kept_in
        self._values = values

    def _append(self, data: bytes) -> None:
        self._database.run("record", {**self._values, "group": uuid.uuid4(), "lines": data})


class PostgresHold:
    """An order that a process holds as long as it renews."""

    def __init__(self, kept_in: Database, session: ProcessSession, name: str) -> None:
        self._database = kept_in
        self._session = session
        self._name = name
        self._values: Values = {"name": name, "holder": uuid.uuid4(), "process": session.process}

    def take(self, lease_seconds: float) -> bool:
        """Return whether nobody else holds it, so that it is held now."""
        return bool(self._database.run("hold", {**self._values, "lease_seconds": lease_seconds}))

    @property
    def lapsed(self) -> bool:
        """Whether its process could not renew for too long."""
        return self._session.lapsed

    def exists(self) -> bool:
        """Return whether it was not withdrawn, and is still ours."""
        return not self.lapsed and self._name not in self._session.withdrawn

    def let_go(self) -> None:
        """Let others hold it; where the database does not answer, once this session has lapsed."""
        try:
            self._database.run("release", self._values)
        except OSError:
            self._session.renewed_at = -math.inf


@cache
def opened_state(home: Home, address: str) -> PostgresState:
    """Return the state of a home's rounds in the database of an address, one in a process."""
    return PostgresState(home, database(address), _heartbeat(address))


@cache
def _heartbeat(address: str) -> Heartbeat:
    return Heartbeat(database(address))


def _home_id(home: Home) -> uuid.UUID:
    """Return what tells a home from others, wherever it is mounted."""
    path = home.state_id
    if home.store is not None:
        home.store.create(home.key(path), uuid.uuid4().hex.encode())
        return uuid.UUID((home.store.get(home.key(path)) or b"").decode("ascii"))
    with disk_explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}-{uuid.uuid4().hex[:8]}")
        with suppress(FileExistsError):
            if not path.exists():
                write_once(draft, uuid.uuid4().hex.encode())
                try:
                    path.hardlink_to(draft)
                finally:
                    draft.unlink()
        return uuid.UUID(path.read_text("ascii"))


def _end_lease(values: Values, lease_id: str, in_flight_usd: float, con: psycopg.Connection[Any]) -> None:
    con.execute(text_of("lock_budget"), values)
    groups = con.execute(text_of("recorded"), values).fetchall()
    used = sum(_counted_usd(line, lease_id) for _, lines in groups for line in lines.splitlines())
    con.execute(text_of("end_lease"), {**values, "lease_id": lease_id, "used_usd": used + in_flight_usd})


def _counted_usd(line: bytes, lease_id: str) -> float:
    """Return what a call counts for against a lease."""
    call = orjson.loads(line)
    if call["lease_id"] != lease_id:
        return 0.0
    counted = (call.get(name) for name in ("cost_usd", "charged_usd", "reserved_usd"))
    return float(next((usd for usd in counted if usd is not None), 0.0))
