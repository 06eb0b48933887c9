"""The budget ledger of a stage with a cap. The ledger takes back the unspent money of ended processes."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from demur.engine.state.database import Database, Transaction, Values
from demur.engine.state.processes import Heartbeat, ProcessSession
from demur.programs.errors import Halted
from demur.warehouse.leases import Lease


class LeaseLapsed(Halted):
    """This process could not renew its holds in time, so other processes may have taken them.

    The work on the shard starts again.
    """


class StageLedger:
    """The budget of a stage: one row from which leases are granted.

    `grant` returns after the grant is durable. All leases of a ledger belong to one session of this process: the
    session at the first grant.
    """

    def __init__(self, database: Database, heartbeat: Heartbeat, values: Mapping[str, Any]) -> None:
        self._database = database
        self._heartbeat = heartbeat
        self._values = values
        self._session: ProcessSession | None = None

    @property
    def lapsed(self) -> bool:
        """Whether other processes may take back the grants of this ledger."""
        return self._session is not None and self._session.lapsed

    def reset(self, usd: float) -> None:
        """Reset the budget to `usd`, and delete all leases. Load calls and leases into the warehouse first."""

        def reset(transaction: Transaction) -> None:
            transaction.run("delete_leases", self._values)
            transaction.run("reset_budget", {**self._values, "total_usd": max(usd, 0.0)})

        with self._database.explained():
            self._database.transact(reset)

    def left_usd(self) -> float:
        """Return the money of the budget that is not granted to leases."""
        [(left,)] = self._database.read("left", self._values)
        return float(left)

    def grant(self, lease: Lease, least_usd: float, most_usd: float, in_flight_usd: float = 0.0) -> Lease:
        """Grant more money, between `least_usd` and `most_usd`, and return the lease with this money.

        If the budget has less than `least_usd`, the lease is returned unchanged.

        The grant is at most an eighth of the remaining money, so that other shards get money too; but it is never less
        than `least_usd`. The bound on the lease's money in flight is raised to `in_flight_usd`, and never lowered.

        Raises:
            LandingError: the database cannot be used.
            LeaseLapsed: other processes may have taken back the grants of this ledger.
        """
        with self._database.explained():
            if self._session is None:
                self._session = self._heartbeat.session()
            if self._session.lapsed:
                raise LeaseLapsed(f"{self._database} took no renewals, so that this lease may be another's now")
            self._session.holding.add(lease.lease_id)
            values = {
                **self._values, "lease_id": lease.lease_id, "shard": lease.shard, "process": self._session.process,
                "opened_at": lease.opened_at.isoformat(), "in_flight_usd": in_flight_usd,
                "least_usd": least_usd, "most_usd": max(least_usd, most_usd),
            }  # fmt: skip
            granted = self._database.transact(partial(_grant, values))
        if granted is None:
            if lease.granted_usd == 0:
                self._session.holding.discard(lease.lease_id)
            return lease
        bound = max(in_flight_usd, lease.in_flight_usd or 0.0)
        return replace(lease, granted_usd=granted, in_flight_usd=bound)

    def close(self, lease: Lease, used_usd: float) -> None:
        """Take back the unused part of a lease.

        `used_usd` must include all costs that may be billed, also of requests in flight.
        """
        with self._database.explained():
            self._database.transact(partial(_end, self._values, lease.lease_id, used_usd))
        if self._session is not None:
            self._session.holding.discard(lease.lease_id)


def end_expired_leases(database: Database, heartbeat: Heartbeat) -> None:
    """Take back the unspent money of leases of ended processes.

    The unspent money of a lease is the granted money minus two amounts: the costs of the lease's calls,
    and the bound on its money in flight.
    """
    database.transact(heartbeat.bury, durable=False)
    for lease_id, *place, in_flight_usd in database.read("expired_leases", heartbeat.here()):
        values = dict(zip(("home", "round_id", "stage", "shard"), place, strict=True))
        database.transact(partial(_end_expired, values, lease_id, float(in_flight_usd)))


def _grant(values: Values, transaction: Transaction) -> float | None:
    more = transaction.run("grant", values)
    if not more:
        return None
    [(granted,)] = transaction.run("grant_lease", {**values, "granted_usd": more[0][0]})
    return float(granted)


def _end(values: Values, lease_id: str, used_usd: float, transaction: Transaction) -> None:
    """End a lease, unless it has ended already."""
    transaction.run("lock_budget", values)
    of_lease = {**values, "lease_id": lease_id}
    for (granted_usd,) in transaction.run("granted", of_lease):
        kept = min(granted_usd, used_usd)
        transaction.run("end_lease", {**of_lease, "granted_usd": kept})
        transaction.run("give_back", {**values, "usd": granted_usd - kept})


def _end_expired(values: Values, lease_id: str, in_flight_usd: float, transaction: Transaction) -> None:
    used = sum(_counted_usd(record, lease_id) for (record,) in transaction.run("recorded", values))
    _end(values, lease_id, used + in_flight_usd, transaction)


def _counted_usd(record: str, lease_id: str) -> float:
    """Return the costs of a stored call that count against a lease."""
    call = orjson.loads(record)
    if call["lease_id"] != lease_id:
        return 0.0
    counted = (call.get(name) for name in ("cost_usd", "charged_usd", "reserved_usd"))
    return float(next((usd for usd in counted if usd is not None), 0.0))
