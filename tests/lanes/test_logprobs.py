"""How sure a model is of a yes, by the log-probabilities of its first token."""

import math
from typing import Any

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.engine import open_models
from demur.lanes.simulator import behaviour
from demur.lanes.simulator.server import serve
from demur.lanes.simulator.wire import SimulatedReply
from demur.lanes.spec import ModelSpec
from demur.programs.adapter.reply_fields import LogprobCapture, YesNo, yes_no
from demur.programs.call_scope import CallScope, KnownReply, Reply, call_scope, read_logprobs
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.programs.model import Model
from tests.lanes.asking import KEYS, MemoryCallStore, spec


class IsItTrue(dspy.Signature):  # type: ignore[misc]
    """Say whether the statement is true."""

    statement: str = dspy.InputField(desc="the statement")
    verdict: str = dspy.OutputField(desc="yes or no")


class InJson(dspy.Signature):  # type: ignore[misc]
    """Say whether the statement is true."""

    statement: str = dspy.InputField(desc="the statement")
    verdict: bool = dspy.OutputField(desc="whether it is")


class Asks(dspy.Module):  # type: ignore[misc]
    def __init__(self, signature: type[dspy.Signature] = IsItTrue) -> None:
        super().__init__()
        self.ask = dspy.Predict(signature)

    async def aforward(self, **inputs: object) -> dspy.Prediction:
        return await self.ask.acall(**inputs)


async def sure(model: Model, call_store: MemoryCallStore, known: tuple[KnownReply, ...] = ()) -> YesNo:
    with call_scope(CallScope("r", "grade", "unit-1", call_store, known)):
        return await model.yes_probability(Asks(), statement="Water is wet.")


@pytest.fixture
def says_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(behaviour, "spoilt", lambda text, fault, *, plain: SimulatedReply("Yes"))


@pytest.mark.usefixtures("says_yes")
async def test_yes_probability_is_read_recorded_and_recalled() -> None:
    call_store, again = MemoryCallStore(), MemoryCallStore()
    with serve() as provider:
        async with open_models([spec(provider, "openai")], "grader", KEYS) as models:
            heard = await sure(models["served"], call_store)
            [call] = call_store.calls
            reply = Reply(call.reply or "", logprobs=read_logprobs(call.logprobs))
            answerer = (call.role, call.model, call.fingerprint)
            known = (KnownReply(call.call_id, call.request_digest, reply, answerer, call.started_at),)
            recalled = await sure(models["served"], again, known)
    shares = {token: math.exp(logprob) for token, logprob in reply.logprobs or ()}
    assert set(shares) == {"Yes", "No"} and shares["Yes"] > shares["No"]
    assert heard.probability == pytest.approx(shares["Yes"]) and heard.mass == pytest.approx(1.0)
    assert recalled == heard and again.calls == [] and len(provider.asked) == 1
    body = provider.asked[0].body
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5) and "response_format" not in body


@pytest.mark.usefixtures("says_yes")
async def test_yes_probability_is_another_request_than_the_same_question_without_it_and_not_for_json() -> None:
    call_store = MemoryCallStore()
    with serve() as provider:
        async with open_models([spec(provider, "openai")], "grader", KEYS) as models:
            with call_scope(CallScope("r", "grade", "unit-1", call_store)):
                await models["served"].run(Asks(), statement="Water is wet.")
                await models["served"].yes_probability(Asks(), statement="Water is wet.")
            with pytest.raises(ProgramError, match="replies in JSON, whose first token says nothing"):
                await models["served"].yes_probability(Asks(InJson), statement="Water is wet.")
    plain, sure_one = call_store.calls
    assert plain.request_digest != sure_one.request_digest and plain.logprobs is None
    assert "logprobs" not in provider.asked[0].body


@pytest.mark.parametrize("lane", ["anthropic", "rules"])
async def test_yes_probability_of_a_lane_without_log_probabilities_is_refused_and_not_sent(lane: str) -> None:
    embedded = ModelSpec.model_validate({"name": "served", "provider": "rules", "model": "grader/patterns"})
    with serve() as provider:
        served = embedded if lane == "rules" else spec(provider, lane)
        async with open_models([served], "grader", KEYS) as models:
            with pytest.raises(LaneError, match="gives no log-probabilities: use a model of provider openai") as caught:
                await sure(models["served"], MemoryCallStore())
    assert caught.value.kind is ErrorKind.REQUEST and provider.asked == []


@given(
    yes=st.floats(0.001, 0.6),
    no=st.floats(0.001, 0.3),
    yes_token=st.sampled_from(["yes", "Yes", " yes", "YES", '"Yes']),
    no_token=st.sampled_from(["no", "No", " No.", "NO"]),
)
def test_yes_no_is_the_share_of_yes_however_it_is_written(yes: float, no: float, yes_token: str, no_token: str) -> None:
    heard: Any = ((yes_token, math.log(yes)), ("Maybe", math.log(0.01)), (no_token, math.log(no)))
    found = yes_no(LogprobCapture(5, heard))
    assert found.probability == pytest.approx(yes / (yes + no)) and found.mass == pytest.approx(yes + no)
    both = yes_no(LogprobCapture(5, (*heard, (" " + yes_token, math.log(yes)))))
    assert both.probability > found.probability
