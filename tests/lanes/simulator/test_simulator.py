"""How the simulator answers: what decides its answers, and its faults."""

import json
from typing import Any

import openai
import pytest

from demur.lanes.providers.openai import NO_KEY
from demur.lanes.simulator.behaviour import Answers, SimulatorConfig, SimulatorEngine
from demur.lanes.simulator.faults import FAMILIES, SimulatorFault, named_faults, scripted
from demur.lanes.simulator.server import Simulator, serve
from demur.lanes.simulator.wire import OpenAIWire
from demur.levers.instances import Passage
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.errors import ProgramError
from demur.programs.replies.refusal_codes import sole_code
from demur.programs.respondent import asked_messages
from demur.programs.signatures.registry import SIGNATURES


def client(simulator: Simulator) -> openai.OpenAI:
    return openai.OpenAI(api_key=NO_KEY, base_url=simulator.openai_url, max_retries=0)


def said(simulator: Simulator, model: str = "judge/patterns", *turns: Any) -> str:
    """Ask for the judgement of one response, with these turns after the question."""
    inputs = {"question": "When?", "reference_answers": ("1874",), "response": "In 1874."}
    messages: Any = [*JsonAdapter().format(SIGNATURES["JudgeShortAnswer"], [], inputs), *turns]
    with client(simulator) as asking:
        return str(asking.chat.completions.create(model=model, messages=messages).choices[0].message.content)


def asked(engine: SimulatorEngine, text: str) -> float:
    body = {"model": "any", "messages": [{"role": "user", "content": text}]}
    return engine.outcome(OpenAIWire(), json.dumps(body).encode(), "")[1]


def test_simulator_refuses_the_stated_share_of_questions_by_a_code_alone() -> None:
    engine = SimulatorEngine(scripted(), SimulatorConfig(refusals=0.6))
    said = []
    for number in range(400):
        asked = asked_messages(f"How deep is pit {number}?", (Passage(index=0, text="A pit.", relevant=True),))
        body = {"model": "respondent/always-answers", "messages": asked}
        outcome, _ = engine.outcome(OpenAIWire(), json.dumps(body).encode(), "")
        said.append(outcome.body["choices"][0]["message"]["content"])
    codes = [sole_code(text) for text in said]
    assert 0.5 < sum(code is not None for code in codes) / len(codes) < 0.7
    assert len(set(codes)) == 7, "six codes, and answers"


def test_simulator_minimal_answers_have_the_wanted_shape() -> None:
    schema = {
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": ["PASS", "FAIL"]},
            "score": {"type": "integer"},
            "notes": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["verdict", "score", "notes"],
        "additionalProperties": False,
    }
    shape: Any = {"type": "json_schema", "json_schema": {"name": "any", "schema": schema, "strict": True}}
    with serve(config=SimulatorConfig(answers=Answers.MINIMAL)) as simulator, client(simulator) as asking:
        answer = asking.chat.completions.create(
            model="any", messages=[{"role": "user", "content": "Judge."}], response_format=shape
        )
    assert json.loads(answer.choices[0].message.content or "") == {"verdict": "PASS", "score": 1, "notes": []}


def test_unknown_fault_is_refused_with_those_that_there_are() -> None:
    assert named_faults(["permanent", "rate_limited"]) == FAMILIES["permanent"] | {SimulatorFault.RATE_LIMITED}
    with pytest.raises(ProgramError, match="'sometimes' is not one of transient, .*, uncounted, all"):
        named_faults(["sometimes"])


def test_provider_answer_is_decided_by_the_inputs_and_spoilt_by_faults_alone() -> None:
    with serve(scripted(None, SimulatorFault.MISSING_FIELDS)) as provider:
        first, spoilt, third = said(provider), said(provider), said(provider)
        turns = ({"role": "assistant", "content": spoilt}, {"role": "user", "content": "Not so."})
        repaired = said(provider, "judge/patterns", *turns)
    assert first == third == repaired != spoilt
    assert [asked.attempt for asked in provider.asked] == [1, 2, 3, 1]
    assert provider.faults == [None, SimulatorFault.MISSING_FIELDS, None, None]


def test_provider_rules_that_do_not_fit_the_task_are_a_bad_request() -> None:
    with serve() as provider, pytest.raises(openai.BadRequestError):
        said(provider, "recipes/terse")
