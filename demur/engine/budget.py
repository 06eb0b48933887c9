"""The budget of a round, and the spending guard: no request leaves before its worst cost is taken."""

import asyncio
from typing import Final

from demur.engine.context import RoundContext, loader_reading, loader_writing
from demur.engine.loading import load_round_calls
from demur.engine.state.calls import ShardCalls
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError
from demur.lanes.prices import prices_of
from demur.programs.call_scope import CallRecord, SentCall
from demur.programs.errors import Halted
from demur.warehouse.plans import counts
from demur.warehouse.round_rows import Spent, estimated, spent
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# The spending guard of a shard: no request leaves before the budget of its stage has taken its worst cost.


class CapReached(Halted):
    """A cap leaves too little money for another request, which could cost `usd`."""

    def __init__(self, usd: float) -> None:
        super().__init__(f"the cap leaves less than the ${usd:,.4f} that one request can cost")
        self.usd = usd


class ShardBudget:
    """Reserves the worst costs of a shard's requests. An instance belongs to one event loop.

    A request is stored as sent in the transaction that takes its worst cost from the budget of the stage. When its
    answer is stored, the budget gets back what the request did not cost. If the process dies, the worst cost stays
    taken.
    """

    def __init__(self, calls: ShardCalls) -> None:
        self._calls = calls
        self._under_way = 0
        self._ended = 0
        self._changed = asyncio.Event()

    async def reserve(self, sent: CallRecord) -> None:
        """Store a request as sent. While the budget is too small, wait for requests of the shard that are under way.

        Raises:
            CapReached: the budget is too small, and no request of the shard is under way.
            CallStoreError: the request cannot be stored.
        """
        while True:
            ended, changed = self._ended, self._changed
            if await self._calls.send(sent):
                self._under_way += 1
                return
            if self._ended != ended:
                continue
            if not self._under_way:
                raise CapReached(sent.reserved_usd or 0.0)
            await changed.wait()

    def adopt(self, sent: SentCall) -> None:
        """Take over a request that an earlier run has stored as sent, and whose answer can still be had."""
        self._calls.adopt(sent)
        self._under_way += 1

    async def unreserve(self, sent: CallRecord) -> None:
        """Give back what `reserve` has taken for a request that did not leave."""
        await self._calls.unsend(sent)
        self.settle()

    def settle(self) -> None:
        """Note that a request has ended: its answer is stored, or nobody waits for it any more."""
        self._under_way -= 1
        self._ended += 1
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


# The budget of a round: the remaining money of a stage, and the message when a cap is reached.


KEPT_FOR: Final = {"respond": "judge"}
"""In evaluations, a stage leaves the estimated share of the money for the stage that makes its results usable."""
FEW_UNITS: Final = 20
"""Fewest landed units from which the price of a unit is computed. With fewer, the price is taken from the plan."""


def check_prices(context: RoundContext) -> None:
    """If the budget has a cap, check that the prices of all asked models are known.

    Raises:
        ConfigError: prices are unknown; the message names the models.
    """
    config = context.config
    if not config.budget.caps:
        return
    asked = {name for names in config.named().values() for name in names}
    unpriced = [spec.name for spec in config.models if spec.name in asked and prices_of(spec) is None]
    if unpriced:
        raise ConfigError(
            f"budget: the prices of {', '.join(unpriced)} are not known, so no cap can be kept. Give prices in the "
            "model's spec, prices: {input_usd_per_million: ..., output_usd_per_million: ...} (0 for a server of your "
            "own), or remove the budget"
        )


def shard_budget(context: RoundContext, stage: str, calls: ShardCalls) -> ShardBudget | None:
    """Return the spending guard of a shard with this store of calls, or None if no cap applies to the stage."""
    return ShardBudget(calls) if _is_capped(context, stage) else None


def _is_capped(context: RoundContext, stage: str) -> bool:
    budget = context.config.budget
    return budget.max_usd is not None or stage in budget.stages


def reset_budget(context: RoundContext, stage: str) -> None:
    """Set the budget of a stage to the money that the stage may still spend. No shard of the round may run.

    Requests whose outcome was never stored count like the dearest requests of their model, or at their worst case while
    few costs are known.
    """
    if not _is_capped(context, stage):
        return
    state = shared_state(context.home)
    with loader_writing(context) as con:
        load_round_calls(con, state, context.round_id)
        priced = list(records(con, "unanswered_calls", [context.round_id, stage]))
        left = _left_usd(context, con, stage)
    state.set_budget(context.round_id, stage, left, priced)


def remaining_usd(context: RoundContext, stage: str) -> float:
    """Return the money that a stage may still spend. Load the calls of the round into the warehouse first."""
    if not _is_capped(context, stage):
        return float("inf")
    with loader_reading(context) as con:
        return _left_usd(context, con, stage)


def _left_usd(context: RoundContext, con: Connection, stage: str) -> float:
    """Return the money that a stage may still spend; negative if more than a cap is spent."""
    so_far = spent(con, context.round_id)
    budget = context.config.budget
    left = float("inf")
    if budget.max_usd is not None:
        left = budget.max_usd - sum(one.counted_usd for one in so_far.values())
    if stage in budget.stages:
        here = so_far[stage].counted_usd if stage in so_far else 0.0
        left = min(left, budget.stages[stage] - here)
    if context.release is not None and stage in KEPT_FOR:
        left = min(left, _share_usd(context, con, (stage, KEPT_FOR[stage]), so_far))
    return left


def _share_usd(context: RoundContext, con: Connection, stages: tuple[str, str], so_far: dict[str, Spent]) -> float:
    """Return what the first of two stages may still spend of their money, which is divided as their estimates are."""
    plan = estimated(con, context.round_id)
    if context.config.budget.max_usd is None or not all(plan.get(stage) for stage in stages):
        return float("inf")
    first = stages[0]
    shared = context.config.budget.max_usd - sum(one.counted_usd for name, one in so_far.items() if name not in stages)
    here = so_far[first].counted_usd if first in so_far else 0.0
    return shared * plan[first] / sum(plan[stage] for stage in stages) - here


def cap_message(context: RoundContext, stage: str, table: str) -> str:
    """Return the message for a reached cap: costs so far, pending units with their estimated cost, and the remedy."""
    with loader_reading(context) as con:
        so_far = spent(con, context.round_id)
        state = counts(con, context.round_id, stage, table)
        plan = estimated(con, context.round_id)
    units = state.planned - state.landed
    here = so_far.get(stage, Spent(stage, 0.0, 0.0, 0))
    rest = _cost_of(here, state.landed, units, plan.get(stage))
    caps = _caps(context, stage, so_far)
    unsure = sum(one.unsure_usd for one in so_far.values())
    parts = [f"{stage}: {caps}."]
    if unsure > 0.005:
        parts.append(
            f"${unsure:,.2f} of that may or may not have been billed: requests without an answer, or with an answer "
            "without usage, count at the cost of similar requests, or at their worst case while few costs are known."
        )
    parts.append(
        f"{units:,} of {state.planned:,} units are left to buy in this stage"
        + (f", about ${rest:,.2f}." if rest is not None else ".")
    )
    parts.append(
        "What was answered is kept. Raise the cap (budget in the round configuration, or --max-usd for the round) and "
        "give the same command again: it goes on from here and buys nothing twice"
    )
    return " ".join(parts)


def _caps(context: RoundContext, stage: str, so_far: dict[str, Spent]) -> str:
    """Return a sentence on the reached cap. If two caps apply, the sentence names the cap with less remaining money."""
    budget = context.config.budget
    whole = sum(one.counted_usd for one in so_far.values())
    here = so_far[stage].counted_usd if stage in so_far else 0.0
    tight = budget.stages.get(stage)
    if tight is not None and (budget.max_usd is None or tight - here <= budget.max_usd - whole):
        return f"budget.stages.{stage} ${tight:,.2f} leaves too little for another request: ${here:,.2f} are spent"
    kept = f", and the rest is kept for the stage {KEPT_FOR[stage]}" if context.release and stage in KEPT_FOR else ""
    return (
        f"budget.max_usd ${budget.max_usd or 0.0:,.2f} leaves too little for another request: ${whole:,.2f} are spent"
        f"{kept}"
    )


def _cost_of(here: Spent, landed: int, units: int, planned_usd: float | None) -> float | None:
    """Return the estimated cost of the pending units; None if unknown.

    The estimate is computed from landed units if there are at least FEW_UNITS, otherwise from the plan.
    """
    if landed >= FEW_UNITS:
        return here.counted_usd / landed * units
    return None if planned_usd is None else planned_usd * units / (landed + units)
