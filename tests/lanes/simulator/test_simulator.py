"""The provider itself: what decides its answers and its faults."""

import json
import urllib.error
import urllib.request
from collections import Counter
from typing import Any

import pytest

from demur.lanes.simulator.faults import SimulatedRequest, SimulatorFault, scripted, seeded
from demur.lanes.simulator.server import Simulator, serve
from demur.lanes.simulator.wire import BadRequestError, check_strict
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.signatures.registry import SIGNATURES

INPUTS = {"question": "When?", "reference_answers": ("1874",), "response": "In 1874."}


def post(provider: Simulator, model: str = "judge/patterns", *extra: dict[str, str]) -> dict[str, Any]:
    messages = [*JsonAdapter().format(SIGNATURES["JudgeShortAnswer"], [], INPUTS), *extra]
    body = json.dumps({"model": model, "messages": messages}).encode()
    request = urllib.request.Request(f"{provider.openai_url}/chat/completions", body, {"Content-Type": "text/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return dict(json.loads(answer.read()))


def said(answer: dict[str, Any]) -> str:
    return str(answer["choices"][0]["message"]["content"])


def test_provider_answer_is_decided_by_the_inputs_and_spoilt_by_faults_alone() -> None:
    with serve(scripted(None, SimulatorFault.MISSING_FIELDS)) as provider:
        first, spoilt, third = post(provider), post(provider), post(provider)
        turns = ({"role": "assistant", "content": said(spoilt)}, {"role": "user", "content": "Not so."})
        repaired = post(provider, "judge/patterns", *turns)
    assert first == third != spoilt and said(repaired) == said(first)
    assert [asked.attempt for asked in provider.asked] == [1, 2, 3, 1]
    assert provider.faults == [None, SimulatorFault.MISSING_FIELDS, None, None]


def test_provider_rules_that_do_not_fit_the_task_are_a_bad_request() -> None:
    with serve() as provider, pytest.raises(urllib.error.HTTPError, match="400"):
        post(provider, "recipes/terse")


def test_seeded_faults_are_decided_by_request_and_attempt_and_come_at_the_rate() -> None:
    plan, other = seeded(1, 0.2, set(SimulatorFault)), seeded(2, 0.2, set(SimulatorFault))
    asked = [SimulatedRequest(n, f"digest-{n % 500}", 1 + n // 500, "task", "", {}) for n in range(5000)]
    found = [plan(one) for one in asked]
    again = [plan(SimulatedRequest(1, one.digest, one.attempt, "", "key", {"a": 1})) for one in asked]
    assert found == again != [other(one) for one in asked]
    assert set(found) == {None, *SimulatorFault}
    assert 0.17 < 1 - Counter(found)[None] / 5000 < 0.23


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": [], "additionalProperties": False},
        {"type": "integer", "minimum": 1},
        {"type": "array", "items": {"type": "string", "default": "a"}},
        {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/A"}]},
    ],
)
def test_provider_refuses_schemas_that_strict_modes_refuse(schema: dict[str, Any]) -> None:
    with pytest.raises(BadRequestError):
        check_strict(schema)
