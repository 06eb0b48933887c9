"""A prompt goes to the host that its model was given, or nowhere; what another host says is no model's answer."""

from pathlib import Path

import pytest

from demur.lanes.engine import open_models
from demur.lanes.simulator.server import Simulator, serve
from demur.lanes.spec import ModelSpec
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable
from tests.lanes.answering import redirecting
from tests.lanes.asking import KEYS, OVERLAP, MemoryCallStore, ask, spec
from tests.lanes.batched import QUICK, ask_all

LANES = {
    "openai": ("openai", OVERLAP),
    "anthropic": ("anthropic", OVERLAP),
    "litellm": ("litellm", f"openai/{OVERLAP}"),
    "litellm, its own client": ("litellm", f"anthropic/{OVERLAP}"),
}
"""litellm asks some providers through the openai SDK, and others through a client of its own."""
ALL_LANES = pytest.mark.parametrize("lane", LANES)


def elsewhere(provider: Simulator) -> str:
    """The provider's address under another name of this machine."""
    return f"http://localhost:{provider.port}"


def redirected(provider: Simulator, lane: str, front: str, **changes: object) -> ModelSpec:
    """The spec of a model at `front`, which sends on to the provider."""
    name, model = LANES[lane]
    ends_in_v1 = name == "openai" or model.startswith("openai/")
    made = spec(provider, name, **changes).model_dump()
    return ModelSpec.model_validate({**made, "model": model, "base_url": f"{front}/v1" if ends_in_v1 else front})


@ALL_LANES
async def test_lane_redirected_to_another_host_sends_nothing_there_and_stops(lane: str) -> None:
    call_store = MemoryCallStore()
    with serve() as provider, redirecting(elsewhere(provider), 307) as front:
        async with open_models([redirected(provider, lane, front)], "respondent", KEYS) as models:
            with pytest.raises(ModelUnavailable) as caught:
                await ask(models["served"], call_store)
        assert provider.asked == []
        expected = f"redirects to another host, {elsewhere(provider)}; nothing is sent there. Is base_url right?"
    assert caught.value.kind is ErrorKind.REDIRECT and expected in str(caught.value)
    assert [call.program for call in call_store.calls] == ["AnswerFromPassage", "Probe"]
    assert {call.error_class for call in call_store.calls} == {"redirect"}
    assert [call.cost_usd for call in call_store.calls] == [0.0, 0.0]


@ALL_LANES
async def test_lane_redirected_on_the_same_host_is_answered(lane: str) -> None:
    with serve() as provider, redirecting(provider.anthropic_url, 308) as front:
        async with open_models([redirected(provider, lane, front)], "respondent", KEYS) as models:
            said, _ = await ask(models["served"], MemoryCallStore())
        assert said and len(provider.asked) == 1


@pytest.mark.parametrize("lane", ["openai", "anthropic"])
async def test_batch_redirected_to_another_host_is_not_sent(lane: str, tmp_path: Path) -> None:
    with serve() as provider, redirecting(elsewhere(provider), 307) as front:
        asked = redirected(provider, lane, front, mode="batch", limits=QUICK)
        async with open_models([asked], "respondent", KEYS) as models:
            said = await ask_all(models["served"], tmp_path, MemoryCallStore())
        assert provider.store.batches == {} and provider.asked == []
    assert all(
        isinstance(one, ModelUnavailable | LaneError) and "redirects to another host" in str(one) for one in said
    )
