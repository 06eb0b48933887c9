"""Functions that list and cancel batches, during and after a round."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from demur.configuration.settings import keys_of, missing_keys
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError
from demur.programs.batch_record import BatchRecord
from demur.warehouse.home import Home
from demur.warehouse.round_rows import published_batches

COLUMNS: Final = (
    "batch", "round", "stage", "model", "status", "requests", "done", "failed", "submitted", "ended", "provider_batch",
)  # fmt: skip
SHORT_COLUMNS: Final = ("batch", "round", "stage", "model", "status", "done", "submitted")
"""Columns that fit a terminal."""
_FIELDS: Final = (
    "batch_id", "round_id", "stage", "model", "status", "requests", "done", "failed", "submitted_at", "ended_at",
    "provider_batch_id",
)  # fmt: skip

Batch = Mapping[str, Any]
"""One batch: values by the names of `_FIELDS`, in that order. Times are in UTC."""


def cells(batch: Batch) -> list[object]:
    """Return the values of a batch in the order of `COLUMNS`, with times as texts."""
    return [f"{value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else value for value in batch.values()]


def short_cells(batch: Batch) -> list[object]:
    """Return the values of a batch in the order of `SHORT_COLUMNS`, with times as texts."""
    *named, requests, done, failed, submitted, _, _ = cells(batch)
    return [*named, f"{done} of {requests}" + (f", {failed} failed" if failed else ""), submitted]


def known_batches(home: Home, *, only_open: bool = False) -> list[Batch]:
    """Return the batches of a home.

    First come the batches in the state, the newest first. Then come batches that only the published warehouse has. If
    `only_open` is true, only batches in the state that have not ended are returned.
    """
    records = shared_state(home).all_batches()
    found = {record.batch_id: _shown(record) for record in reversed(records)}
    if only_open:
        return [_shown(record) for record in reversed(records) if record.status.is_open]
    for row in published_batches(home):
        found.setdefault(str(row["batch_id"]), row)
    return list(found.values())


def cancel(home: Home, batch_id: str) -> str:
    """Ask the provider to cancel a batch, and return a message that says what happens to its requests.

    `batch_id` is demur's id or the provider's id of the batch.

    Raises:
        ConfigError: there is no such batch in the state, or its key is not set.
        ProgramError: the batch has ended, or the provider refuses.
    """
    from demur.lanes.batch.endpoint import cancel_batch, spec_of

    records = shared_state(home).all_batches()
    named = [record for record in records if batch_id in (record.batch_id, record.provider_batch_id)]
    if not named:
        under_way = ", ".join(record.batch_id for record in records if record.status.is_open) or "none"
        raise ConfigError(f"batch '{batch_id}' is not under way in {home.root}; under way: {under_way}")
    [record] = named
    spec = spec_of(record)
    if missing := missing_keys([spec]):
        raise ConfigError(f"batch {record.batch_id} needs a key: set the environment variable {missing[0][1]}")
    state = asyncio.run(cancel_batch(record, spec, keys_of([spec])))
    return (
        f"{record.batch_id}: being cancelled, {state.done} of {record.requests} requests done. These are collected "
        "when its round runs; the others fail as 'cancelled' then, and are asked again by the run after that"
    )


def _shown(record: BatchRecord) -> Batch:
    found = {name: getattr(record, name) for name in _FIELDS}
    times = {
        name: found[name] and datetime.fromisoformat(found[name]).astimezone(UTC)
        for name in ("submitted_at", "ended_at")
    }
    return {**found, "status": record.status.value, **times}
