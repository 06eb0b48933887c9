"""The preflight of a round: asks every networked model for one token before the work on units begins."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from demur.configuration.settings import keys_of
from demur.engine.budget import reset_budget, shard_budget
from demur.engine.context import RoundContext, digest_of, loader_writing
from demur.engine.loading import load_round_calls
from demur.engine.spending import ShardBudget
from demur.engine.state.calls import ShardCalls
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError, ModelsDoNotAnswerError
from demur.lanes.engine import open_probe
from demur.lanes.remedies import remedy
from demur.lanes.spec import ModelSpec
from demur.programs.errors import Halted, LaneError, ModelUnavailable, ProgramError
from demur.programs.journal import CallScope, call_scope

PROBE: Final = "probe"
"""The value of `stage` for the calls of the preflight."""
_done: Final[set[tuple[Path, str]]] = set()


def skip_preflight(context: RoundContext) -> None:
    """Skip the preflight of a round in this process."""
    _done.add((context.home.root, context.round_id))


def preflight_models(context: RoundContext) -> None:
    """Ask every networked model of the round for one token, unless this process has passed the preflight before.

    The calls are rows of the table `calls` with stage 'probe'.

    Raises:
        ModelsDoNotAnswerError: a model does not answer; the message has the reason and the remedy for each.
    """
    place = (context.home.root, context.round_id)
    specs = _remote_models(context)
    if place in _done or not specs:
        return
    reset_budget(context, PROBE)
    with ThreadPoolExecutor(1) as thread:
        problems = thread.submit(asyncio.run, _probe_all(context, specs)).result()
    with loader_writing(context) as con:
        load_round_calls(con, shared_state(context.home), context.round_id, [(PROBE, PROBE)])
    if problems:
        raise ModelsDoNotAnswerError(
            f"{len(problems)} of {len(specs)} models do not answer, so no work was sent to any model:\n"
            + "\n".join(f"  {problem}" for problem in problems)
            + "\nCorrect this and run the same command again, or skip this check: --no-probe"
        )
    _done.add(place)


def _remote_models(context: RoundContext) -> tuple[ModelSpec, ...]:
    """Return the networked models with a role, in the order of the configuration."""
    named = {name for names in context.config.named().values() for name in names}
    return tuple(spec for spec in context.config.models if spec.name in named and not spec.lane.embedded)


async def _probe_all(context: RoundContext, specs: Sequence[ModelSpec]) -> list[str]:
    """Return the problems of models that do not answer. All lanes are opened before the first request."""
    recorded = shared_state(context.home).calls(context.round_id, PROBE, PROBE)
    async with recorded as calls:
        budget = shard_budget(context, PROBE, calls)
        opened = [(spec, _open_lane(spec)) for spec in specs]
        found = await asyncio.gather(*(_probe(context, spec, probe, calls, budget) for spec, probe in opened))
    return [_problem(spec, error) for spec, error in zip(specs, found, strict=True) if error is not None]


def _open_lane(spec: ModelSpec) -> Callable[[], Awaitable[None]] | ProgramError | ConfigError:
    try:
        return open_probe(spec, keys_of([spec]))
    except (ConfigError, ProgramError) as exc:
        return exc


async def _probe(
    context: RoundContext,
    spec: ModelSpec,
    probe: Callable[[], Awaitable[None]] | ProgramError | ConfigError,
    calls: ShardCalls,
    budget: ShardBudget | None,
) -> ProgramError | ConfigError | None:
    if isinstance(probe, Exception):
        return probe
    unit_id = digest_of(PROBE, context.round_id, spec.name)
    try:
        with call_scope(CallScope(context.round_id, PROBE, unit_id, calls, budget=budget)):
            await probe()
    except ModelUnavailable as exc:
        return exc
    except Halted:
        return None  # a cap leaves too little money; the stage reports this
    except ProgramError as exc:
        return exc
    return None


def _problem(spec: ModelSpec, error: Exception) -> str:
    help_ = f". {remedy(spec, error)}" if isinstance(error, LaneError) else ""
    return f"models {spec.name} ({spec.provider} {spec.model}): {error}{help_}"
