"""What tests of the batch lane share: a model that is asked in batches, many questions at once, a run that dies."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from demur.engine.state.batches import StageBatches
from demur.engine.state.shared import shared_state
from demur.lanes.engine import open_models
from demur.lanes.simulator.server import Simulator
from demur.lanes.spec import ModelSpec
from demur.programs.call_scope import CallRecord, CallScope, call_scope
from demur.programs.model import Model
from demur.programs.respondent import Respondent, respond
from demur.warehouse.home import Home
from tests.lanes.asking import KEYS, PASSAGES, MemoryCallStore, spec

LANES = ("openai", "anthropic")
BOTH_LANES = pytest.mark.parametrize("lane", LANES)
ONE_LANE = pytest.mark.parametrize("lane", LANES[:1])
"""Of what happens around a provider's interface, which is the same for both."""
QUESTIONS = tuple(f"When was lighthouse {number} at Cape Harrow built?" for number in range(12))
QUICK = {"batch_poll_seconds": 0.05, "batch_missing_seconds": 0.3, "retries": 3}


def batch_spec(simulator: Simulator, lane: str, **limits: Any) -> ModelSpec:
    return spec(simulator, lane, mode="batch", limits={**QUICK, **limits})


def book(folder: Path) -> StageBatches:
    return shared_state(Home(folder)).batches("round-1", "respond")


async def ask_all(
    model: Model,
    folder: Path | None,
    call_store: MemoryCallStore,
    questions: Sequence[str] = QUESTIONS,
    confirm: Callable[[], Awaitable[None]] | None = None,
) -> list[str | Exception]:
    """Ask every question in the name of a unit of its own, all at once; without a folder there are no batches."""
    batches = None if folder is None else book(folder)

    async def one(question: str) -> str:
        scope = CallScope("round-1", "respond", f"unit-{question}", call_store, batches=batches, confirm=confirm)
        with call_scope(scope):
            return (await respond(Respondent(), model, question, PASSAGES)).text

    found = await asyncio.gather(*map(one, questions), return_exceptions=True)
    return [one for one in found if isinstance(one, (str, Exception))]


async def ask_batch(
    simulator: Simulator,
    lane: str,
    folder: Path,
    call_store: MemoryCallStore,
    questions: Sequence[str] = QUESTIONS,
    **limits: Any,
) -> list[str | Exception]:
    """Ask all questions in batch mode, as one run of a stage would."""
    async with open_models([batch_spec(simulator, lane, **limits)], "respondent", KEYS) as models:
        return await ask_all(models["served"], folder, call_store, questions)


async def ask_live(simulator: Simulator, lane: str) -> list[str | Exception]:
    async with open_models([spec(simulator, lane)], "respondent", KEYS) as models:
        return await ask_all(models["served"], None, MemoryCallStore())


def calls_by(call_store: MemoryCallStore, status: str) -> list[CallRecord]:
    return [call for call in call_store.calls if call.status == status]


async def run_and_drop(
    simulator: Simulator, lane: str, folder: Path, call_store: MemoryCallStore, batches: int = 1, **limits: Any
) -> None:
    """Ask, and go away as soon as the provider has so many batches."""
    async with open_models([batch_spec(simulator, lane, **limits)], "respondent", KEYS) as models:
        asking = asyncio.create_task(ask_all(models["served"], folder, call_store))
        while len(simulator.store.batches) < batches:
            await asyncio.sleep(0.02)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
