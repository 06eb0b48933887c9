"""The state shared by the processes of a home: calls, budgets, holds, batches and limits."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from threading import Lock
from typing import Any, Final

from demur.configuration.settings import state_named
from demur.engine.state.batches import StageBatches, records_of
from demur.engine.state.calls import KnownCalls, SentPrompt, ShardCalls, calls_of, known_calls, prompt_of
from demur.engine.state.database import Database, Transaction
from demur.engine.state.databases import database_of
from demur.engine.state.holds import Hold, NamedHold, OnWait, wait_until_free
from demur.engine.state.limits import StateRegistry
from demur.engine.state.processes import Heartbeat
from demur.levers.durable import made_once
from demur.programs.batch_record import BatchRecord
from demur.warehouse.errors import disk_explained
from demur.warehouse.home import Home
from demur.warehouse.units import Order, order_files, withdraw

_ONLY_HOME: Final = ""
"""The id of a home whose state is its own file."""
_opening: Final = Lock()
_databases: Final[dict[str, tuple[Database, Heartbeat]]] = {}
_states: Final[dict[tuple[str, Home], "SharedState"]] = {}


class SharedState:
    """The state of a home's rounds, shared by all their processes."""

    def __init__(self, home: Home, database: Database, heartbeat: Heartbeat) -> None:
        self.database = database
        self.heartbeat = heartbeat
        self._home = home
        self._id = _home_id(home) if database.several_machines else _ONLY_HOME

    def __str__(self) -> str:
        """Return the address of the database, without user and password."""
        return str(self.database)

    @property
    def home_id(self) -> str:
        """The id of this home in the rows of the database."""
        return self._id

    def check_answers(self) -> None:
        """Check that the database answers and has the tables of this version.

        Raises:
            LandingError: the database cannot be used.
        """
        with self.database.explained():
            self.database.facts()

    def calls(self, round_id: str, stage: str, shard: str) -> ShardCalls:
        """Return the store of a shard's calls: an asynchronous context manager that must be entered before use."""
        return ShardCalls(self.database, self._of(round_id, stage, shard))

    def known(self, units: Sequence[str]) -> dict[str, KnownCalls]:
        """Return the calls of units, by unit. Units without calls are left out."""
        with self.database.explained():
            return known_calls(self.database, self._id, units)

    def calls_beyond(
        self,
        round_id: str,
        loaded: Mapping[tuple[str, str], tuple[int, int]],
        shards: Iterable[tuple[str, str]] | None = None,
    ) -> Iterator[list[dict[str, Any]]]:
        """Yield the calls of those shards of a round of which a reader lacks calls or outcomes, a shard at a time.

        `loaded` has the numbers of calls, and of calls without an outcome, that the reader has, by stage and shard. If
        `shards` is given, each as stage and shard, calls of other shards are neither counted nor read.
        """
        with self.database.explained():
            if shards is None:
                counted = self.database.read("counted", self._of(round_id, ""))
            else:
                places = [self._of(round_id, stage, shard) for stage, shard in shards]
                counted = [row for rows in self.database.read_each("counted_of_shard", places) for row in rows]
            for stage, shard, *numbers in counted:
                if loaded.get((stage, shard)) != tuple(numbers):
                    yield list(calls_of(self.database, self._of(round_id, stage, shard)))

    def prompt(self, round_id: str, stage: str, shard: str, call_id: str) -> SentPrompt | None:
        """Return the prompt of a call; None if it was not stored, or was pruned."""
        with self.database.explained():
            return prompt_of(self.database, {**self._of(round_id, stage, shard), "call_id": call_id})

    def forget_calls(self, round_id: str) -> None:
        """Delete all calls of a round with their prompts, after the warehouse has dropped their texts."""
        values = self._of(round_id, "")
        with self.database.explained():
            self.database.transact(lambda one: [one.run(name, values) for name in ("forget_calls", "forget_texts")])

    def rounds(self) -> list[str]:
        """Return the ids of the rounds of the home with calls."""
        with self.database.explained():
            return [str(round_id) for (round_id,) in self.database.read("recorded_rounds", {"home": self._id})]

    def set_budget(self, round_id: str, stage: str, usd: float, priced: Iterable[Mapping[str, object]] = ()) -> None:
        """Set what the further requests of a stage may cost.

        `priced` are calls without an outcome, with the dollars (`usd`) that each counts in what was spent so far.
        """
        values = self._of(round_id, stage)

        def put(transaction: Transaction) -> None:
            transaction.run_each("price_sent", [{**values, **one} for one in priced])
            transaction.run("set_budget", {**values, "usd": max(usd, 0.0)})

        with self.database.explained():
            self.database.transact(put)

    def left_usd(self, round_id: str, stage: str) -> float:
        """Return what the further requests of a stage may cost."""
        with self.database.explained():
            [(left,)] = self.database.read("left", self._of(round_id, stage))
        return float(left)

    def registry(self) -> StateRegistry:
        """Return the registry of processes that ask models."""
        return StateRegistry(self.database, self.heartbeat)

    def hold(self, round_id: str, stage: str, order: Order) -> Hold | None:
        """Return a new hold of an order; None if another process holds the order.

        Raises:
            FileNotFoundError: the order was withdrawn.
        """
        with self.database.explained():
            held = NamedHold(self.database, self.heartbeat, self._prefix(round_id, stage) + order.path.name)
            if not held.take():
                return None
        if not order.path.exists():  # withdrawing deletes the file before it looks for holds
            held.let_go()
            raise FileNotFoundError(order.path)
        return held

    def withdraw(self, round_id: str, stage: str, order: Order) -> None:
        """Withdraw an order, so that none of its pending units begins."""
        withdraw(order)
        with self.database.explained():
            self._withdraw(self._prefix(round_id, stage) + order.path.name)

    def withdraw_all(self, round_id: str, stage: str, *, wait_seconds: float, on_wait: OnWait) -> None:
        """Withdraw every order of a stage, and wait until no process works on an order of the stage.

        Raises:
            WarehouseError: a process still works on an order after `wait_seconds`.
        """
        orders = order_files(self._home, round_id, stage)
        prefix = self._prefix(round_id, stage)
        with disk_explained(self._home.orders(round_id, stage)):
            for path in orders:
                path.unlink(missing_ok=True)
        with self.database.explained():
            self._withdraw(prefix)
            held = self._held(prefix)
            wait_until_free(next(iter(held), stage), lambda: bool(self._held(prefix)), wait_seconds, on_wait)
            self.database.write("free", {"prefix": prefix}, durable=False)

    def batches(self, round_id: str, stage: str) -> StageBatches:
        """Return the batches of a stage."""
        return StageBatches(self.database, self._of(round_id, stage))

    def all_batches(self) -> list[BatchRecord]:
        """Return the batches of all rounds of the home, oldest first."""
        with self.database.explained():
            return records_of(self.database.read("batches_of_home", {"home": self._id}))

    def batch_rows(self, round_id: str, stage: str) -> list[Mapping[str, object]]:
        """Return the batches of a stage as rows of the table `batches`."""
        with self.database.explained():
            return [asdict(record) for record in self.batches(round_id, stage).records()]

    def _withdraw(self, prefix: str) -> None:
        self.database.write("withdraw", {"prefix": prefix}, durable=False)
        self.heartbeat.look()

    def _held(self, prefix: str) -> list[str]:
        def held(transaction: Transaction) -> list[str]:
            self.heartbeat.bury(transaction)
            rows = transaction.run("held", {**self.heartbeat.here(), "prefix": prefix})
            return [str(name).removeprefix(prefix) for (name,) in rows]

        return self.database.transact(held, durable=False)

    def _of(self, round_id: str, stage: str, shard: str = "") -> dict[str, Any]:
        return {"home": self._id, "round_id": round_id, "stage": stage, "shard": shard}

    def _prefix(self, round_id: str, stage: str) -> str:
        return f"{self._id}/{round_id}/{stage}/"

    def say_progress(self, round_id: str, said: str) -> "Future[object]":
        """Write the progress of a round into the state. `said` is the progress as JSON text."""
        values = {**self._of(round_id, ""), "said": said}
        return self.database.submit(lambda transaction: transaction.run("say_progress", values), durable=False)

    def progress(self) -> dict[str, str]:
        """Return the last written progress by round, as JSON text. Rounds of killed processes are included."""
        with self.database.explained():
            return dict(self.database.read("progress", {"home": self._id}, patient=False))

    def end_progress(self, round_id: str) -> None:
        """Delete the progress of a round."""
        self.database.write("end_progress", self._of(round_id, ""), durable=False)

    def rest(self) -> None:
        """Close the SQLite file of a home, unless this process has a hold or registration.

        SQLite then merges its write-ahead log into the file.
        """
        if not self.database.several_machines and self.heartbeat.retire():
            self.database.close()

    def round_name(self, round_id: str) -> str:
        """Return the name under which a round is held."""
        return f"{self._id}/{round_id}"


def shared_state(home: Home) -> SharedState:
    """Return the shared state of a home.

    Raises:
        ConfigError: DEMUR_STATE is no address of a PostgreSQL database.
        ModuleNotFoundError: the extra `state` is not installed.
        OSError: the database does not answer, or refuses the connection.
    """
    with _opening:
        if (place := state_named() or str(home.state)) not in _databases:
            database = database_of(home)
            _databases[place] = database, Heartbeat(database)
        if (place, home) not in _states:
            _states[place, home] = SharedState(home, *_databases[place])
        return _states[place, home]


def _home_id(home: Home) -> str:
    """Return the unique id of a home, which does not depend on the home's path. A missing id is created."""
    path = home.state_id
    with disk_explained(path):
        return made_once(path, uuid.uuid4().hex.encode()).decode("ascii")
