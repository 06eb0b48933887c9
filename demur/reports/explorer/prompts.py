"""The prompts behind calls, made again from the plan of their stage, as `calls` keeps digests of them alone.

A unit of work is done once more with its own inputs, its models answering from the ledger. What it asks on the way are
its prompts; the digest of each says whether it is what was sent. Imported by the page that shows them only, since
stages and their programs take seconds to load.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from demur.configuration.round_config import RoundConfig
from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext, digest_of
from demur.engine.stage import Stage
from demur.engine.units import Unit
from demur.errors import FlowError
from demur.flows.stages.registry import STAGES
from demur.lanes.masking import Mask
from demur.lanes.rebuilt import CallLedger, LedgerModel, RebuiltRequest
from demur.lanes.spec import ModelSpec
from demur.programs.adapter.digests import system_text
from demur.programs.journal import CallScope, KnownReply, Reply, call_scope, read_logprobs
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.plans import plan_path
from demur.warehouse.records import records


@dataclass(frozen=True, slots=True)
class RebuiltPrompt:
    """What a call asks: instructions, turns by who speaks, the wanted JSON Schema; `same` where it is what was sent."""

    system: str
    turns: tuple[tuple[str, str], ...]
    schema: str | None
    same: bool


@dataclass(frozen=True)
class _LedgerContext(RoundContext):
    """A round whose models answer from a ledger."""

    ledger: CallLedger = field(default_factory=lambda: CallLedger([]))

    def specs(self, names: tuple[str, ...]) -> tuple[ModelSpec, ...]:
        """Return stand-ins for the named models."""
        return tuple(LedgerModel.by(self.config.model_spec(name), self.ledger) for name in names)


def prompts_of(home: Home, calls: Sequence[Mapping[str, Any]]) -> dict[str, RebuiltPrompt]:
    """Return the prompts of the calls of one unit of work, rows of the explorer's `calls`, by call id.

    Raises:
        FlowError: the plan of its stage is not here or has another unit in its place, or another version of demur wrote
            the configuration.
        LeverError, ProgramError, WarehouseError: a file that the round needs cannot be read.
    """
    asked = [row for row in calls if row["role"] != "probe"]
    if not asked:
        return {}
    context, planned, stage = _planned(home, asked[0]["round_id"], asked[0]["stage"], asked[0]["unit_id"])
    rebuilt = _rebuilt(context, stage, planned, asked)
    mask = Mask(None, keys_of(context.config.models).values())
    return dict(_matched(asked, rebuilt, mask))


def _planned(home: Home, round_id: str, stage: str, unit_id: str) -> tuple[RoundContext, Mapping[str, Any], Stage]:
    """Return a round, the plan's row of a unit, and its stage.

    Raises:
        FlowError: the plan of the stage is not here, or does not hold the unit any more.
    """
    found = next((one for one in STAGES if one.name == stage), None)
    plan = plan_path(home, round_id, stage)
    if found is None or not plan.is_file():
        raise FlowError(f"the plan of stage {stage} is not here: {plan}")
    with reading(home) as con:
        [round_row] = records(con, "planned_round", [round_id])
        units = list(records(con, "planned_unit", [str(plan), unit_id]))
    if not units:
        raise FlowError(f"stage {stage} does not plan this unit any more, another took its place")
    try:
        config = RoundConfig.model_validate_json(round_row["config"])
    except ValidationError as exc:
        raise FlowError(f"the configuration of round {round_id} is of another version of demur") from exc
    return RoundContext(home, config, Path.cwd(), round_id, round_row["seed"]), units[0], found


def _rebuilt(
    context: RoundContext, stage: Stage, planned: Mapping[str, Any], asked: Iterable[Mapping[str, Any]]
) -> list[RebuiltRequest]:
    """Return all requests of a unit, which is done as often as it was: until its replies are used up."""
    ledger = CallLedger.of(_known(row) for row in asked if row["status"] == "ok" and row["reply"] is not None)
    standing_in = _LedgerContext(
        context.home, context.config, context.folder, context.round_id, context.seed, ledger=ledger
    )

    async def work() -> None:
        async with stage.open_work(standing_in) as do:
            left = None
            while left != len(ledger.replies) and (left is None or ledger.replies):
                left = len(ledger.replies)
                scope = CallScope(
                    context.round_id,
                    stage.name,
                    planned["unit_id"],
                    seed=digest_of(context.round_id, stage.name, planned["payload"]),
                )
                unit = Unit(
                    planned["unit_id"], json.loads(planned["payload"]), planned["class"], planned["intensity"], scope
                )
                with call_scope(scope):
                    try:
                        await do(unit)
                    except Exception as exc:  # the unit failed then as well, or its replies were used up
                        if not ledger.rebuilt:
                            raise FlowError(f"{type(exc).__name__}: {exc}") from exc

    asyncio.run(work())
    return ledger.rebuilt


def _known(row: Mapping[str, Any]) -> KnownReply:
    reply = Reply(row["reply"], row["finish_reason"] or "stop", logprobs=read_logprobs(row["logprobs"]))
    return KnownReply(row["call_id"], row["request_digest"], row["attempt"], reply)


def _matched(
    asked: Iterable[Mapping[str, Any]], rebuilt: Sequence[RebuiltRequest], mask: Mask
) -> Iterable[tuple[str, RebuiltPrompt]]:
    """Yield each call with its prompt: the one that its reply answered, else one of its digest, else the last one.

    Attempts that got no reply stand before the one that did, or at the end.
    """
    by_call = {one.call_id: one for one in rebuilt if one.call_id is not None}
    by_digest = {one.digest: one for one in rebuilt}
    unanswered = [one for one in rebuilt if one.call_id is None]
    for row in asked:
        found = by_call.get(row["call_id"]) or by_digest.get(row["request_digest"])
        found = found or (unanswered[-1] if unanswered else None)
        if found is not None:
            yield row["call_id"], _prompt(found, row["request_digest"], mask)


def _prompt(one: RebuiltRequest, digest: str, mask: Mask) -> RebuiltPrompt:
    wanted = one.request.config.response_format
    return RebuiltPrompt(
        mask.error(system_text(one.request)),
        tuple((message.role, mask.error(message.text or "")) for message in one.request.messages),
        None if wanted is None else json.dumps(wanted["schema"], ensure_ascii=False, indent=1),
        one.digest == digest,
    )
