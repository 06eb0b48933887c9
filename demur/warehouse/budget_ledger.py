"""The budget ledger of a stage under a cap: a file that holds what may be spent, and the leases of shards.

The first line is what the stage may spend; every later one is a lease with all that it was granted so far. Lines are
appended under a lock and durable before they count, so that shards in any number of processes that share the home
never hold more than the ledger had, however many of them are killed. Nothing here opens the warehouse.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from demur.levers.durable import replace_durably
from demur.warehouse.errors import LandingError, disk_explained


@dataclass(frozen=True, slots=True)
class Lease:
    """What one shard was granted in one run; what its calls do not account for may have been billed.

    Of that at most `in_flight_usd` was under way at any moment; None where that is not known.
    """

    lease_id: str
    shard: str
    granted_usd: float
    opened_at: datetime
    in_flight_usd: float | None = None


@dataclass(frozen=True, slots=True)
class _Content:
    """A ledger as its file holds it."""

    total_usd: float
    leases: dict[str, Lease]
    whole_bytes: int

    @property
    def left_usd(self) -> float:
        return self.total_usd - sum(lease.granted_usd for lease in self.leases.values())


class BudgetLedger:
    """Grants dollars to leases, never more than it has."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def reset(self, usd: float) -> None:
        """Begin a new ledger with so many dollars in place of the old one; its leases must have been folded before."""
        with disk_explained(self._path, LandingError):
            replace_durably(self._path, _first_line(usd))

    def replace(self, usd: float, leases: Iterable[Lease]) -> None:
        """Write a ledger that was kept elsewhere, in place of the one that is there."""
        with disk_explained(self._path, LandingError):
            replace_durably(self._path, _first_line(usd) + b"".join(_lease_line(lease) for lease in leases))

    def grant(self, lease: Lease, least_usd: float, most_usd: float, in_flight_usd: float | None = None) -> Lease:
        """Return the lease with between `least_usd` and `most_usd` more, or as it was where not so much is left.

        At most an eighth of what is left is granted, unless the least is more: other shards need some too. No more than
        `in_flight_usd` of the lease may be under way from now on.
        """
        with self._locked() as (descriptor, content):
            more = max(least_usd, min(most_usd, content.left_usd / 8))
            if more > content.left_usd:
                return lease
            bound = None if in_flight_usd is None else max(in_flight_usd, lease.in_flight_usd or 0.0)
            granted = replace(lease, granted_usd=lease.granted_usd + more, in_flight_usd=bound)
            _append(descriptor, granted)
            return granted

    def close(self, lease: Lease, used_usd: float) -> None:
        """Take back what a lease did not use; what stays granted must cover all that may have been billed."""
        with self._locked() as (descriptor, _):
            _append(descriptor, replace(lease, granted_usd=used_usd))

    def left_usd(self) -> float:
        """Return what no lease holds."""
        return _read(self._path.read_bytes(), self._path).left_usd

    def leases(self) -> list[Lease]:
        """Return all leases of this ledger, none where there is no ledger."""
        try:
            return list(_read(self._path.read_bytes(), self._path).leases.values())
        except FileNotFoundError:
            return []

    @contextmanager
    def _locked(self) -> Iterator[tuple[int, _Content]]:
        with disk_explained(self._path, LandingError):
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
                content = _read(data, self._path)
                if content.whole_bytes < len(data):  # torn by a kill before it could be spent
                    os.ftruncate(descriptor, content.whole_bytes)
                yield descriptor, content
            finally:
                os.close(descriptor)


def _read(data: bytes, path: Path) -> _Content:
    whole = data.rfind(b"\n") + 1
    first, *rest = data[:whole].splitlines() or [b""]
    try:
        total = float(json.loads(first)["total_usd"])
        leases: dict[str, Lease] = {}
        for line in rest:
            entry = json.loads(line)
            opened_at = datetime.fromisoformat(entry["opened_at"]).astimezone(UTC)
            granted = float(entry["granted_usd"])
            in_flight = entry.get("in_flight_usd")
            lease = Lease(entry["lease_id"], entry["shard"], granted, opened_at, in_flight)
            leases[lease.lease_id] = lease
    except (ValueError, KeyError, TypeError) as exc:
        raise LandingError(
            f"{path}: no budget ledger ({exc}). It holds what may have been billed and not been written down; if that "
            "cannot be known, delete it and lower budget.max_usd by what may be missing"
        ) from exc
    return _Content(total, leases, whole)


def _append(descriptor: int, lease: Lease) -> None:
    os.write(descriptor, _lease_line(lease))
    os.fsync(descriptor)


def _first_line(usd: float) -> bytes:
    return _line({"total_usd": max(usd, 0.0)})


def _lease_line(lease: Lease) -> bytes:
    entry = {
        "lease_id": lease.lease_id,
        "shard": lease.shard,
        "granted_usd": lease.granted_usd,
        "in_flight_usd": lease.in_flight_usd,
        "opened_at": lease.opened_at.isoformat(),
    }
    return _line(entry)


def _line(entry: dict[str, object]) -> bytes:
    return json.dumps(entry).encode() + b"\n"
