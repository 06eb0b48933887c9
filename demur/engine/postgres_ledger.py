"""The budget ledger of a stage in a database, and leases that other machines take back from a dead process."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import psycopg

from demur.engine.heartbeat import Heartbeat, ProcessSession
from demur.engine.lease import LeaseLapsed, ShardLease
from demur.engine.postgres import Database, explained, text_of
from demur.warehouse.budget_ledger import Lease


class PostgresLedger:
    """The budget of a stage: one row, of which leases are granted, never more than it has."""

    def __init__(self, kept_in: Database, values: Mapping[str, Any]) -> None:
        self._database = kept_in
        self._values = values

    def reset(self, usd: float) -> None:
        """Begin anew with so many dollars; leases must have been folded before."""
        with explained():
            self._database.run("reset_budget", {**self._values, "total_usd": max(usd, 0.0)})

    def left_usd(self) -> float:
        """Return what no lease holds."""
        [(_, left)] = self._database.run("left", self._values)
        return float(left)

    def grant(
        self,
        lease: Lease,
        least_usd: float,
        most_usd: float,
        in_flight_usd: float,
        session: ProcessSession | None = None,
    ) -> Lease:
        """Return the lease with between `least_usd` and `most_usd` more, or as it was where not so much is left."""
        values = {
            **self._values, "lease_id": lease.lease_id, "shard": lease.shard, "opened_at": lease.opened_at,
            "process": session.process if session else None, "in_flight_usd": in_flight_usd,
            "least_usd": least_usd, "most_usd": max(least_usd, most_usd),
        }  # fmt: skip
        with explained():
            found = self._database.run("grant", values)
        if not found:
            return lease
        bound = max(in_flight_usd, lease.in_flight_usd or 0.0)
        return replace(lease, granted_usd=float(found[0][0]), in_flight_usd=bound)

    def close(self, lease: Lease, used_usd: float) -> None:
        """Take back what a lease did not use."""

        def end(con: psycopg.Connection[Any]) -> None:
            con.execute(text_of("lock_budget"), self._values)
            con.execute(text_of("end_lease"), {**self._values, "lease_id": lease.lease_id, "used_usd": used_usd})

        with explained():
            self._database.transact(end)


class BoundedLease(ShardLease):
    """A lease of a process that others may take for dead; nothing is reserved once its session lapsed.

    So what a dead process was granted and cannot have spent is given to others at once.
    """

    def __init__(self, ledger: PostgresLedger, heartbeat: Heartbeat, shard: str) -> None:
        super().__init__(ledger, shard)
        self._grants = ledger
        self._heartbeat = heartbeat
        self._session: ProcessSession | None = None

    def _may(self, usd: float) -> bool:
        return super()._may(usd) and not (self._session is not None and self._session.lapsed)

    async def _granted(self, least_usd: float, most_usd: float, in_flight_usd: float) -> Lease:
        if self._session is None:
            with explained():
                self._session = await asyncio.to_thread(self._heartbeat.session)
        if self._session.lapsed:
            raise LeaseLapsed("the database of DEMUR_STATE took no renewals, so that this lease may be another's now")
        grant = self._grants.grant
        return await asyncio.to_thread(grant, self._lease, least_usd, most_usd, in_flight_usd, self._session)
