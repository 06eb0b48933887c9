"""Opens models: from a model spec to a dspy.LM that records each call."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, cast

import dspy

from demur.lanes.batch.endpoint import open_endpoint
from demur.lanes.batch.transport import BatchTransport
from demur.lanes.call import retry_wait_seconds
from demur.lanes.engine import BlockingEngine, ModelEngine
from demur.lanes.masking import Mask
from demur.lanes.prices import prices_of
from demur.lanes.spec import Mode, ModelSpec
from demur.lanes.throttle.shared import in_use, throttle_of
from demur.lanes.transport import Access, Indexing, Transport
from demur.levers.catalogue import Catalogue
from demur.programs.adapter.direct import Direct
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.errors import ProgramError
from demur.programs.model import Model

if TYPE_CHECKING:
    from demur.rules.corpus import Corpus

PROBING_SECONDS: Final = 15.0
"""The longest time for retries of a probe before a round begins."""
logging.getLogger("dspy.clients.lm").addFilter(lambda record: "truncated" not in record.getMessage())
"""DSPy's warning about replies cut off is hidden: such a reply is a ReplyError, or complete JSON."""


def open_transport(spec: ModelSpec, access: Access) -> Transport:
    """Import the SDK of a spec's lane, and return the lane's transport."""
    if spec.mode is Mode.BATCH:
        live = spec.model_copy(update={"mode": Mode.LIVE})
        return BatchTransport(
            spec,
            lambda: open_endpoint(spec, access.api_key),
            lambda: open_transport(live, access),
            Mask(access.api_key),
        )
    transport: Transport = resolve_name(spec.lane.transport)(spec, access)
    return transport


@asynccontextmanager
async def open_models(
    specs: Sequence[ModelSpec],
    role: str,
    keys: Mapping[str, str],
    catalogue: Catalogue | None = None,
    corpus: "Corpus | None" = None,
) -> AsyncIterator[dict[str, Model]]:
    """Yield a model for each spec, by name, for use in the running event loop.

    `keys` maps environment variables, and `block:NAME` for Prefect blocks, to their values.

    Raises:
        ProgramError: a model's key is missing.
    """
    async with AsyncExitStack() as open_engines:
        models: dict[str, Model] = {}
        for spec in specs:
            open_engine = engine_of(spec, role, keys, catalogue, corpus)
            engine = open_engine()
            open_engines.push_async_callback(engine.aclose)
            if engine.throttle is not None:
                open_engines.enter_context(in_use(spec))
            lm = dspy.LM(
                f"demur/{spec.name}",
                engine=BlockingEngine(open_engine),
                async_engine=engine,
                cache=False,
                num_retries=0,
            )
            models[spec.name] = Model(spec.name, lm, JsonAdapter(Direct(lm, engine)))
        yield models


@asynccontextmanager
async def open_system(spec: ModelSpec, keys: Mapping[str, str]) -> AsyncIterator[Indexing]:
    """Yield the transport of a system, for indexing passages. The transport is closed after the block."""
    headers = {header: keys.get(variable, "") for header, variable in spec.headers.items()}
    system = cast("Indexing", open_transport(spec, Access(headers=headers)))
    try:
        yield system
    finally:
        await system.aclose()


def open_probe(spec: ModelSpec, keys: Mapping[str, str]) -> Callable[[], Awaitable[None]]:
    """Return a function that sends a model one probe and closes the model; the caller's scope records the probe.

    The function raises LaneError if the model does not answer after retries.

    Raises:
        ProgramError: a key or a package is missing.
    """
    engine = engine_of(spec, "probe", keys, None)()
    engine.open_probing()
    limits = spec.limits.model_copy(update={"retry_seconds": min(spec.limits.retry_seconds, PROBING_SECONDS)})

    async def probe() -> None:
        began = time.monotonic()
        try:
            for number in count(1):
                error = await engine.probe()
                if error is None:
                    return
                wait = retry_wait_seconds(error, number, time.monotonic() - began, limits)
                if wait is None:
                    raise error
                await asyncio.sleep(wait)
        finally:
            await engine.aclose()

    return probe


def engine_of(
    spec: ModelSpec,
    role: str,
    keys: Mapping[str, str],
    catalogue: Catalogue | None,
    corpus: "Corpus | None" = None,
) -> Callable[[], ModelEngine]:
    """Return a function that opens a new engine for a spec.

    Raises:
        ProgramError: the model's key is missing.
    """
    key = keys.get(spec.key_source) if spec.key_source else None
    if spec.key_source and not key:
        where = f"the Prefect Secret block '{spec.api_key_block}'" if spec.api_key_block else None
        raise ProgramError(
            f"model '{spec.name}' needs a key: set {where or f'the environment variable {spec.key_variable}'}"
        )
    headers = {header: keys.get(variable, "") for header, variable in spec.headers.items()}
    if missing := [spec.headers[header] for header, value in headers.items() if not value]:
        raise ProgramError(f"model '{spec.name}' needs headers: set the environment variable {missing[0]}")
    access = Access(key, headers, catalogue, corpus)
    prices = prices_of(spec, batch=spec.mode is Mode.BATCH)
    limited = spec.lane.limited
    mask = Mask(key, keys.values(), headers.values())
    fallback = None if spec.fallback is None else engine_of(spec.fallback, role, keys, catalogue, corpus)
    return lambda: ModelEngine(
        spec,
        role,
        open_transport(spec, access),
        prices,
        mask,
        throttle_of(spec) if limited and spec.mode is not Mode.BATCH else None,
        (lambda probing: open_transport(probing, access)) if limited else None,
        fallback() if fallback else None,
    )
