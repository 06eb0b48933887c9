"""What people are told where code or configuration was changed in mid-round: what is used again, what is bought again."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from demur.engine.context import RoundContext, loader_reading
from demur.engine.progress import observer
from demur.engine.reply_key import ReplyKey
from demur.errors import StageStopped
from demur.warehouse.units import Order, Reused, reused


def asked_for_by(key: ReplyKey) -> Callable[[str], str]:
    """Return the function that returns, of the payload of a unit, the hash of what it is asked for."""
    return lambda payload: key.asked_for(json.loads(payload))


@contextmanager
def reuse_told(context: RoundContext, stage: str, orders: Sequence[Order]) -> Iterator[None]:
    """Say what the units of orders are handed over before the block, and what came of it once it has ended or stopped.

    The block loads what the stage has journalled.
    """
    handed, paid_usd = sum(order.reusable for order in orders), sum(order.reusable_usd for order in orders)
    if not handed:
        yield
        return
    before = _reused(context, stage)
    observer().notice(
        f"{stage}: the round plans units of work under other ids than those under which {handed:,} of its answers were "
        "bought: code or configuration has changed since. Answers to requests that are still the same are used again; "
        f"the others are bought again, for about ${paid_usd:,.2f} at most"
    )
    stopped: StageStopped | None = None
    try:
        yield
    except StageStopped as exc:
        stopped = exc
    now = _reused(context, stage)
    observer().notice(
        f"{stage}: {now.replies - before.replies:,} of {handed:,} answers were used again, which saved "
        f"${now.saved_usd - before.saved_usd:,.2f}"
    )
    if stopped is not None:
        raise stopped


def _reused(context: RoundContext, stage: str) -> Reused:
    with loader_reading(context) as con:
        return reused(con, context.round_id, stage)
