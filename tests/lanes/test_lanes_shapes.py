"""Replies in enforced shapes, prompts marked for caching, and parameters of models that think first."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from demur.lanes.engine import open_models
from demur.lanes.providers.anthropic import FEWEST_CACHED_CHARACTERS
from demur.lanes.simulator.server import serve
from demur.lanes.spec import ModelSpec
from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.perturbation import Generator, generate
from demur.programs.signatures.taxonomy_text import stratum_brief
from tests.lanes.asking import KEYS, PASSAGES, QUESTION, MemoryCallStore, judge_once, spec

BASE = BaseInstance(question=QUESTION, answers=("1874",), passages=PASSAGES)


@pytest.mark.parametrize("lane", ["openai", "anthropic"])
async def test_lane_made_to_use_a_tool_replies_with_its_input(lane: str) -> None:
    with serve() as provider:
        judged = await judge_once(provider, lane, structured_output="tool")
    assert (judged.predicted, judged.quality) == ("ANSWER_ATTEMPT", 5)
    body: dict[str, Any] = provider.asked[0].body
    [tool] = body["tools"]
    shape = tool["function"]["parameters"] if lane == "openai" else tool["input_schema"]
    assert list(shape["properties"]) == ["explanation", "classification", "quality"]
    assert "JudgeShortAnswer" in json.dumps(body["tool_choice"])
    assert "response_format" not in body and "output_config" not in body


STRATUM = LeverClass.MISSING_INFO, Intensity.MEDIUM


async def _generated(call_store: MemoryCallStore, **changes: Any) -> list[dict[str, Any]]:
    """Generate for two base instances in one stratum; return what was sent for them."""
    brief, levers = stratum_brief(*STRATUM), load_catalogue().stratum(*STRATUM)
    bases = (BASE, BASE.model_copy(update={"question": "When was it built?"}))
    with serve() as provider:
        async with open_models([spec(provider, "anthropic", "recipes/terse", **changes)], "generator", KEYS) as models:
            for number, base in enumerate(bases):
                with call_scope(CallScope("r", "generate", f"unit-{number}", call_store)):
                    await generate(Generator(), models["served"], base, brief, levers)
    return [provider.asked[0].body, provider.asked[-1].body]


async def test_anthropic_lane_marks_what_prompts_of_a_stratum_share_changes_no_text_and_counts_cached_tokens() -> None:
    call_store = MemoryCallStore()
    marked, other = await _generated(call_store)
    first, second = call_store.calls[0], call_store.calls[-1]
    assert first.cache_write_tokens and not first.cached_tokens
    assert second.cached_tokens and not second.cache_write_tokens
    assert first.cost_usd and second.cost_usd and first.cost_usd > second.cost_usd
    plain, _ = await _generated(MemoryCallStore(), prompt_cache=False)
    shared, own = marked["messages"][0]["content"]
    assert shared["cache_control"] == {"type": "ephemeral"} and "cache_control" not in own
    assert shared["text"] + own["text"] == plain["messages"][0]["content"]
    assert own["text"].startswith('"question":') and '"levers":[' in shared["text"]
    assert shared == other["messages"][0]["content"][0]
    assert len(shared["text"]) + len(plain["system"]) >= FEWEST_CACHED_CHARACTERS


THINKER = {"name": "m", "provider": "anthropic", "model": "c"}


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 500}}, "budget_tokens 500 must be a whole number of at l"),
        ({"thinking": {"type": "enabled", "budget_tokens": 4096}}, "max_tokens 4000 must be more than thinking.budget"),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 2000}, "temperature": 0},
            "temperature 0 cannot be used with",
        ),
        ({"thinking": {"type": "adaptive"}, "temperature": 0.2}, "temperature 0.2 cannot be used with thinking"),
        ({"thinking": {"type": "adaptive"}, "top_k": 5}, "top_k cannot be used with thinking"),
        ({"thinking": True}, "thinking must be a mapping such as"),
    ],
)
def test_spec_thinking_that_the_provider_would_refuse_is_refused_here(parameters: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ModelSpec.model_validate({**THINKER, "parameters": {"max_tokens": 4000, **parameters}})
    assert problem in str(caught.value)


def test_spec_thinking_does_not_go_with_a_forced_tool() -> None:
    parameters = {"max_tokens": 4000, "thinking": {"type": "adaptive"}}
    with pytest.raises(ValidationError, match="cannot be made to use a tool"):
        ModelSpec.model_validate({**THINKER, "structured_output": "tool", "parameters": parameters})
    assert ModelSpec.model_validate({**THINKER, "parameters": {**parameters, "temperature": 1}})
    off = {"max_tokens": 4000, "thinking": {"type": "disabled"}, "temperature": 0}
    assert ModelSpec.model_validate({**THINKER, "structured_output": "tool", "parameters": off})
