"""What is told where code or configuration was changed in mid-round: what is used again, what is bought again."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from demur.engine.context import RoundContext, loader_reading
from demur.engine.progress import observer
from demur.engine.reply_key import ReplyKey
from demur.errors import StageStopped
from demur.warehouse.units import Order, orphans_of, reused


def asked_for_by(key: ReplyKey) -> Callable[[str], str]:
    """Return the function that returns, of the payload of a unit, the hash of what it is asked for."""
    return lambda payload: key.asked_for(json.loads(payload))


@contextmanager
def reuse_announced(context: RoundContext, stage: str, orders: Sequence[Order], landed: int) -> Iterator[None]:
    """Announce what units of orders are handed over before the block, and after it, stopped or not, what came of it.

    The block loads what the stage has journalled.
    """
    handed, handed_usd = sum(order.reusable for order in orders), sum(order.reusable_usd for order in orders)
    with loader_reading(context) as con:
        orphans = orphans_of(con, context.round_id, stage)
        before = reused(con, context.round_id, stage)
    answers, paid_usd = sum(len(orphan.calls) for orphan in orphans), sum(orphan.paid_usd for orphan in orphans)
    if not handed and (
        landed or not answers
    ):  # what repairs replace is planned no more either, beside units that landed
        yield
        return
    least_usd = max(0.0, paid_usd - handed_usd)
    observer().notice(
        f"{stage}: {answers:,} answers, for which ${paid_usd:,.2f} were paid, belong to units of work that the round "
        f"plans no more: code or configuration has changed since. {handed:,} of them belong to work that is still "
        "planned, and are used again where the request is still the same. Whatever is not is bought again: about "
        f"${least_usd:,.2f} at least, ${paid_usd:,.2f} at most"
    )
    stopped: StageStopped | None = None
    try:
        yield
    except StageStopped as exc:
        stopped = exc
    with loader_reading(context) as con:
        now = reused(con, context.round_id, stage)
    observer().notice(
        f"{stage}: {now.replies - before.replies:,} of {answers:,} answers were used again, which saved "
        f"${now.saved_usd - before.saved_usd:,.2f}"
    )
    if stopped is not None:
        raise stopped
