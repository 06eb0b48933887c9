"""From a model spec to a dspy.LM whose every call is recorded."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import dspy

from programs.lanes.ledger import BlockingEngine, LedgerEngine
from programs.lanes.spec import ModelSpec, Provider
from programs.lanes.transport import Transport


def open_transport(spec: ModelSpec, api_key: str | None) -> Transport:
    """Return the lane of a spec; SDKs are imported here, when they are needed."""
    if spec.provider is Provider.RULES:
        from programs.lanes.rules import RulesTransport

        return RulesTransport(spec)
    if spec.provider is Provider.OPENAI:
        from programs.lanes.openai import OpenAITransport

        return OpenAITransport(spec, api_key)
    if spec.provider is Provider.ANTHROPIC:
        from programs.lanes.anthropic import AnthropicTransport

        return AnthropicTransport(spec, api_key)
    from programs.lanes.litellm import LiteLLMTransport

    return LiteLLMTransport(spec, api_key)


@asynccontextmanager
async def open_models(
    specs: Sequence[ModelSpec], role: str, keys: Mapping[str, str]
) -> AsyncIterator[dict[str, dspy.LM]]:
    """Yield a dspy.LM per spec, by name, for use in the running event loop.

    `keys` maps environment variable names to keys; nothing here reads the environment.
    """
    engines: list[LedgerEngine] = []
    models: dict[str, dspy.LM] = {}
    for spec in specs:
        key = keys.get(spec.key_variable) if spec.key_variable else None

        def build(spec: ModelSpec = spec, key: str | None = key) -> LedgerEngine:
            return LedgerEngine(spec, role, open_transport(spec, key))

        engine = build()
        engines.append(engine)
        models[spec.name] = dspy.LM(
            f"demur/{spec.name}", engine=BlockingEngine(build), async_engine=engine, cache=False, num_retries=0
        )
    try:
        yield models
    finally:
        for engine in engines:
            await engine.aclose()
