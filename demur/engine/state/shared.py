"""The state shared by the processes of a home: calls, budgets, locks, runs, batches and progress."""

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from demur.configuration.settings import state_named
from demur.engine.state.batches import StageBatches, records_of
from demur.engine.state.calls import KnownCalls, SentPrompt, ShardCalls, calls_of, known_calls, prompt_of
from demur.engine.state.database import Database, Transaction
from demur.engine.state.home_state import database_of
from demur.engine.state.locks import SURE_SECONDS, Holder, Lock
from demur.levers.durable import made_once
from demur.programs.batch_record import BatchRecord
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home

PROCESS: Final = uuid.uuid4().hex
"""The id of this process. Workers of a cluster have other ids than their flow."""
POLL_SECONDS: Final = 0.2
NOTICE_SECONDS: Final = 5.0
_ONLY_HOME: Final = ""
"""The id of a home whose state is its own file."""
_opening: Final = threading.Lock()
_databases: Final[dict[str, Database]] = {}
_states: Final[dict[tuple[str, Home], "SharedState"]] = {}


class SharedState:
    """The state of a home's rounds, shared by all their processes."""

    def __init__(self, home: Home, database: Database) -> None:
        self.database = database
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

    def lock(self, round_id: str, part: str = "", *, again: bool = False) -> Lock | None:
        """Take the lock of a round, or of a shard of it; None if it is taken already.

        A process that has not ended its work may have lost its lock just now, without knowing it yet: by a restart of
        the server, or with its connection. It is then waited until it knows.

        Args:
            round_id: The round.
            part: The stage and the name of the shard, with a dot between them; empty for the lock of the round.
            again: Whether this process had the lock. None is then returned if another process has worked meanwhile.

        Raises:
            OSError: the database cannot be used.
        """
        lock = self.database.lock(self._name(round_id), part)
        if lock is None:
            return None
        values = {**self._of(round_id, ""), "part": part, "process": PROCESS}
        try:
            last = next((process for process, _ in self.database.read("run", values)), None)
            if again and last == PROCESS:
                return lock
            if again:
                lock.release()
                return None
            if self.database.several_machines and last not in (None, PROCESS):
                time.sleep(SURE_SECONDS)
            self.database.write("begin_work", values, durable=False)
        except BaseException:
            lock.release()
            raise
        return lock

    def release(self, lock: Lock, round_id: str, part: str = "") -> None:
        """Free a lock. If it was not lost, the next process need not wait."""
        if lock.is_held():
            with suppress(OSError):
                values = {**self._of(round_id, ""), "part": part, "process": PROCESS}
                self.database.transact(lambda one: one.run("end_work", values), durable=False, patient=False)
        lock.release()

    def holder(self, round_id: str) -> Holder | None:
        """Return the process that works on a round; None if there is none.

        Raises:
            OSError: the database cannot be used.
        """
        return self.database.holder(self._name(round_id))

    def begin_run(self, round_id: str, run: str = "") -> None:
        """Let workers work for this run of a stage of a round, and for no other. Without a run, no worker works.

        Nothing changes if another process has taken over the round.
        """
        with self.database.explained():
            values = {**self._of(round_id, ""), "process": PROCESS, "run": run}
            self.database.write("begin_run", values, durable=False)

    def is_run(self, round_id: str, run: str) -> bool:
        """Return whether workers may work for a run.

        Raises:
            OSError: the database does not answer.
        """
        values = {**self._of(round_id, ""), "part": ""}
        return any(run == found for _, found in self.database.read("run", values, patient=False))

    def wait_for_workers(self, round_id: str, *, wait_seconds: float, on_wait: Callable[[str], None]) -> None:
        """Wait until no worker works on a shard of a round.

        Raises:
            WarehouseError: a worker still works on a shard after `wait_seconds`.
        """
        began = noticed = time.monotonic()
        with self.database.explained():
            while self.database.has_locked_parts(self._name(round_id)):
                now = time.monotonic()
                if now - began >= wait_seconds:
                    raise WarehouseError(
                        f"round {round_id}: a worker of an earlier run still works on a shard after {now - began:.0f} "
                        "s. A second worker would pay for the answers again. End that worker, then run the same "
                        "command again"
                    )
                if now - noticed >= NOTICE_SECONDS:
                    noticed = now
                    on_wait(f"round {round_id}: a worker of an earlier run is ending its shard; waiting for it")
                time.sleep(POLL_SECONDS)

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

    def _of(self, round_id: str, stage: str, shard: str = "") -> dict[str, Any]:
        return {"home": self._id, "round_id": round_id, "stage": stage, "shard": shard}

    def _name(self, round_id: str) -> str:
        return f"{self._id}/{round_id}" if self._id else round_id

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
        """Close the SQLite file of a home. SQLite then merges its write-ahead log into the file."""
        if not self.database.several_machines:
            self.database.close()


def shared_state(home: Home) -> SharedState:
    """Return the shared state of a home.

    Raises:
        ConfigError: DEMUR_STATE is no address of a PostgreSQL database.
        ModuleNotFoundError: the extra `state` is not installed.
        OSError: the database does not answer, or refuses the connection.
    """
    with _opening:
        if (place := state_named() or str(home.state)) not in _databases:
            _databases[place] = database_of(home)
        if (place, home) not in _states:
            _states[place, home] = SharedState(home, _databases[place])
        return _states[place, home]


def _home_id(home: Home) -> str:
    """Return the unique id of a home, which does not depend on the home's path. A missing id is created."""
    path = home.state_id
    with disk_explained(path):
        return made_once(path, uuid.uuid4().hex.encode()).decode("ascii")
