"""What the processes of a round have in common, in files: journals, budget ledgers, holds of orders, batches."""

from collections.abc import Collection, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from demur.engine.batch_store import StageBatches
from demur.engine.concurrency import Standing
from demur.engine.journal import GroupJournal, ShardJournal
from demur.engine.lease import ShardLease, shard_lease
from demur.warehouse import order_locks
from demur.warehouse.budget_ledger import BudgetLedger
from demur.warehouse.home import Home
from demur.warehouse.journals import journalled_calls
from demur.warehouse.units import KnownCall, Order, withdraw


class Hold(Standing, Protocol):
    """What holds an order."""

    @property
    def lapsed(self) -> bool:
        """Whether it could not be renewed, so that the order may be held anew: nobody is known to have withdrawn it."""

    def let_go(self) -> None:
        """Let others hold it."""


class StageBudget(Protocol):
    """What a stage under a cap may spend."""

    def reset(self, usd: float) -> None:
        """Begin anew with so many dollars; leases must have been folded before."""

    def left_usd(self) -> float:
        """Return what no lease holds."""


class SharedState:
    """The state of a home's rounds that all their processes see, in its files; as text, what a message calls it."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def __str__(self) -> str:
        """Return the home."""
        return str(self._home.root)

    def check_answers(self) -> None:
        """Return if what the processes have in common can be used; raises LandingError."""

    def journal(self, round_id: str, stage: str, shard: str) -> GroupJournal:
        """Return the journal of a shard, to be entered."""
        return ShardJournal(self._journal(round_id, stage, shard))

    def answered(self, round_id: str, stage: str, shard: str) -> dict[str, list[KnownCall]]:
        """Return the successful calls of a journal that is not folded yet, by unit, oldest first."""
        return journalled_calls(self._journal(round_id, stage, shard))

    def ledger(self, round_id: str, stage: str) -> StageBudget:
        """Return the budget ledger of a stage."""
        return BudgetLedger(self._home.budget_ledger(round_id, stage))

    def lease(self, round_id: str, stage: str, shard: str) -> AbstractAsyncContextManager[ShardLease | None]:
        """Open a lease of a stage's budget."""
        return shard_lease(self._home.budget_ledger(round_id, stage), shard)

    def hold(self, round_id: str, stage: str, order: Order) -> Hold | None:
        """Hold an order, None where somebody else does; raises FileNotFoundError where it was withdrawn."""
        descriptor = order_locks.hold(order.path)
        return None if descriptor is None else _Held(order.path, descriptor)

    def offer(self, order: Order) -> None:
        """Let workers of all machines find an order: they see its file."""

    def withdraw(self, round_id: str, stage: str, order: Order) -> None:
        """Let none of an order's units be begun any more."""
        withdraw(order)

    def withdraw_all(self, round_id: str, stage: str, *, wait_seconds: float, on_wait: order_locks.OnWait) -> None:
        """Withdraw every order of a stage, and return once nobody works on one; raises WarehouseError after so long."""
        order_locks.withdraw_all(self._home, round_id, stage, wait_seconds=wait_seconds, on_wait=on_wait)

    def batches(self, round_id: str, stage: str) -> StageBatches:
        """Return the batches of a stage."""
        return StageBatches(self._home, round_id, stage)

    @contextmanager
    def folding(self, round_id: str, stage: str | None = None, closed: Collection[str] | None = None) -> Iterator[None]:
        """Bring what the loader reads to it, which has it for good where the block ends without an error.

        Of a stage, or of all of a round; of closed shards, or of all. The loader reads the files of a home themselves.
        """
        yield

    def _journal(self, round_id: str, stage: str, shard: str) -> Path:
        return self._home.journals(round_id, stage) / f"{shard}.jsonl"


class Withdrawn:
    """What holds an order that nobody is to work on any more."""

    lapsed = False

    def exists(self) -> bool:
        """Return False."""
        return False

    def let_go(self) -> None:
        """Let others hold it: nobody does."""


class _Held:
    """An order that a lock of the operating system holds."""

    lapsed = False
    """A lock ends with its process."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def exists(self) -> bool:
        """Return whether it was not withdrawn."""
        return self._path.exists()

    def let_go(self) -> None:
        """Let others hold it."""
        order_locks.let_go(self._descriptor)
