"""How the simulator answers: quickly or slowly, by rule or as briefly as it may, and what it counts."""

import json
import math
import statistics
import urllib.request
from typing import Any

import openai
import pytest

from demur.lanes.openai import NO_KEY
from demur.lanes.simulator.answers import Answers
from demur.lanes.simulator.engine import SimulatorConfig, SimulatorEngine
from demur.lanes.simulator.faults import ACCOUNT, FAMILIES, SimulatorFault, named_faults, scripted
from demur.lanes.simulator.server import Simulator, serve
from demur.lanes.simulator.wire import OpenAIWire
from demur.programs.errors import ProgramError


def client(simulator: Simulator) -> openai.OpenAI:
    return openai.OpenAI(api_key=NO_KEY, base_url=simulator.openai_url, max_retries=0)


def asked(engine: SimulatorEngine, text: str) -> float:
    body = {"model": "any", "messages": [{"role": "user", "content": text}]}
    return engine.outcome(OpenAIWire(), json.dumps(body).encode(), "")[1]


def test_simulator_latencies_are_log_normal_around_their_mean_and_the_same_for_a_seed() -> None:
    config = SimulatorConfig(latency_seconds=2.0, latency_spread=0.5, seed=3, answers=Answers.MINIMAL)
    engine, again = SimulatorEngine(scripted(), config), SimulatorEngine(scripted(), config)
    found = [asked(engine, f"question {number}") for number in range(3000)]
    assert found[:50] == [asked(again, f"question {number}") for number in range(50)]
    assert math.isclose(statistics.mean(found), 2.0, rel_tol=0.05)
    assert math.isclose(statistics.stdev(map(math.log, found)), 0.5, rel_tol=0.05)
    assert asked(SimulatorEngine(scripted(), SimulatorConfig(latency_seconds=2.0)), "any") == 2.0


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


def test_simulator_statistics_tell_answers_from_requests_and_repetitions() -> None:
    with serve(scripted(SimulatorFault.SERVER_ERROR)) as simulator, client(simulator) as asking:
        question: Any = {"model": "judge/patterns", "messages": [{"role": "user", "content": "Are you there?"}]}
        with pytest.raises(openai.InternalServerError):
            asking.chat.completions.create(**question)
        asking.chat.completions.create(**question)
        asking.chat.completions.create(**question)
        with urllib.request.urlopen(f"{simulator.anthropic_url}/stats", timeout=60) as page:
            told = json.loads(page.read())
    assert (told["requests"], told["answered"], told["answered_distinct"], told["answered_again"]) == (3, 2, 1, 1)
    assert told["faults"] == {"server_error": 1} and told["input_tokens"] > 0 < told["output_tokens"]


def test_fault_families_cover_every_kind_but_those_of_the_account() -> None:
    assert named_faults(["all"]) == frozenset(SimulatorFault) - ACCOUNT
    assert named_faults(["permanent", "rate_limited"]) == FAMILIES["permanent"] | {SimulatorFault.RATE_LIMITED}
    with pytest.raises(ProgramError, match="'sometimes' is not one of transient, spoilt, permanent, uncounted, all"):
        named_faults(["sometimes"])
