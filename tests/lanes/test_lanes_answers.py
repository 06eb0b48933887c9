"""The three lanes that use a network, through the real SDKs: what is sent, what comes back, what is written down."""

import math

import pytest

from demur.lanes.engine import open_models
from demur.lanes.simulator.server import serve
from demur.lanes.spec import ModelSpec
from demur.levers.instances import BaseInstance, Passage
from demur.programs.judge import Judge, judge
from tests.lanes.asking import (
    KEY,
    KEYS,
    LANES,
    OVERLAP,
    PASSAGES,
    QUESTION,
    MemoryCallStore,
    ask,
    judge_once,
    spec,
)

SEVERAL = BaseInstance(
    question=QUESTION,
    answers=("1874",),
    passages=(*PASSAGES, Passage(index=1, text="Cape Harrow lies in the north.", relevant=False)),
)


def rules(model: str) -> ModelSpec:
    return ModelSpec.model_validate({"name": "embedded", "provider": "rules", "model": model})


@pytest.mark.parametrize("lane", LANES)
async def test_lane_plain_text_reply_is_the_models_and_usage_and_cost_stand_in_the_call(lane: str) -> None:
    call_store = MemoryCallStore()
    with serve() as provider:
        async with open_models([spec(provider, lane)], "respondent", KEYS) as models:
            response, scope = await ask(models["served"], call_store)
    async with open_models([rules(OVERLAP)], "respondent", {}) as models:
        by_rule, _ = await ask(models["embedded"], MemoryCallStore())
    assert response == by_rule and "1874" in response
    [call] = call_store.calls
    assert call.input_tokens and call.output_tokens and call.cached_tokens == call.input_tokens // 2
    fresh = call.input_tokens - call.cached_tokens
    assert call.cost_usd is not None
    assert math.isclose(call.cost_usd, (fresh * 2 + call.cached_tokens * 1 + call.output_tokens * 10) / 1e6)
    assert call.reasoning_tokens == (None if lane == "anthropic" else 1)
    assert call.latency_seconds > 0 and call.queue_seconds >= 0 and call.started_at.endswith("+00:00")
    assert scope.last_call_id == call.call_id
    assert (call.status, call.attempt, call.error_class, call.reply) == ("ok", 1, None, response)
    assert (call.round_id, call.stage, call.unit_id, call.role) == ("round-1", "respond", "unit-1", "respondent")
    assert (call.model, call.provider, call.program) == ("served", lane, "AnswerFromPassage")
    assert provider.asked[0].key == KEY


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("structured", [True, False])
async def test_lane_json_reply_reaches_the_program_typed(lane: str, structured: bool) -> None:
    """The provider refuses schemas that strict modes refuse, so this shows that ours fit them."""
    with serve() as provider:
        served = [spec(provider, lane, "judge/patterns", structured_output=structured)]
        async with open_models(served, "judge", KEYS) as models:
            short = await judge(Judge(), models["served"], QUESTION, ("1874",), "In 1874.", PASSAGES)
            grounded = await judge(
                Judge(), models["served"], QUESTION, ("1874",), "Built in 1874 [1].", SEVERAL.passages
            )
    assert (short.predicted, short.quality, short.correct) == ("ANSWER_ATTEMPT", 5, True)
    assert grounded.correct is True and grounded.quality is None
    sent = provider.asked[0].body
    assert ("response_format" in sent or "output_config" in sent) is structured


async def test_openai_lane_sends_parameters_as_they_stand_and_a_strict_schema() -> None:
    parameters = {"max_tokens": 77, "temperature": 0.5, "seed": 3, "reasoning_effort": "low"}
    with serve() as provider:
        await judge_once(provider, "openai", parameters=parameters)
    body = provider.asked[0].body
    assert {key: body[key] for key in parameters} == parameters
    assert body["model"] == "judge/patterns"
    shape = body["response_format"]["json_schema"]  # type: ignore[index]
    assert (shape["name"], shape["strict"]) == ("JudgeShortAnswer", True)
    assert list(shape["schema"]["properties"]) == ["explanation", "classification", "quality"]


async def test_anthropic_lane_keeps_the_users_output_config_beside_the_schema() -> None:
    parameters = {"max_tokens": 77, "output_config": {"effort": "low"}}
    with serve() as provider:
        await judge_once(provider, "anthropic", parameters=parameters)
    config = provider.asked[0].body["output_config"]
    assert config["effort"] == "low" and config["format"]["type"] == "json_schema"  # type: ignore[index]
