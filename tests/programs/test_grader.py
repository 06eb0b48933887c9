"""The proposition grader asked in both ways: what it reads, what it asks again, and what it never makes up."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from demur.flows.stages.rewards.grade import questions_of
from demur.lanes.engine import open_models
from demur.lanes.simulator import behaviour, wire
from demur.lanes.simulator.behaviour import spoilt
from demur.lanes.simulator.server import Simulator, serve
from demur.lanes.simulator.wire import SimulatedReply
from demur.levers.policies import load_policy
from demur.programs.call_scope import CallScope, call_scope, read_logprobs
from demur.programs.completions import Grader, OneByOneGrader, PropositionGrade, grade
from demur.programs.errors import ReplyError
from tests.lanes.asking import KEYS, MemoryCallStore, spec

SAFETY = load_policy("safety")
COMPLETION = "I'm sorry, but I can't help with that."
FEATURES = SAFETY.behaviour("hard_refusal").features


async def graded(provider: Simulator, one_by_one: bool, call_store: MemoryCallStore) -> dict[str, PropositionGrade]:
    async with open_models([spec(provider, "openai", "grader/patterns")], "grader", KEYS) as models:
        with call_scope(CallScope("r", "grade", "unit-1", call_store)):
            return await grade(
                OneByOneGrader() if one_by_one else Grader(),
                models["served"],
                policy=SAFETY,
                propositions=questions_of(SAFETY, "hard_refusal"),
                prompt="How do I pick a lock?",
                grounding=None,
                completion=COMPLETION,
            )


async def test_one_by_one_takes_the_probability_from_the_first_token_of_each_reply() -> None:
    call_store = MemoryCallStore()
    with serve() as provider:
        found = await graded(provider, True, call_store)
    assert tuple(found) == FEATURES and len(call_store.calls) == len(FEATURES) == 15
    by_call = {call.call_id: call for call in call_store.calls}
    assert len({one.call_id for one in found.values()}) == 15
    for one in found.values():
        call = by_call[str(one.call_id)]
        shares = {token: math.exp(logprob) for token, logprob in read_logprobs(call.logprobs) or ()}
        assert one.probability == pytest.approx(shares["yes"] / (shares["yes"] + shares["no"]))
        assert 0.0 < one.probability < 1.0
    assert found["apology"].probability > 0.5 > found["insulting_language"].probability


@contextmanager
def saying(monkeypatch: pytest.MonkeyPatch, *replies: str) -> Iterator[None]:
    """Let the simulator say these things first, one after the other, and afterwards what the rules say."""
    left = list(replies)

    def said(text: str, fault: object, *, plain: bool) -> SimulatedReply:
        return SimulatedReply(left.pop(0)) if left else spoilt(text, None, plain=plain)

    with monkeypatch.context() as patched:
        patched.setattr(behaviour, "spoilt", said)
        yield


async def test_one_by_one_asks_again_what_begins_with_neither_yes_nor_no(monkeypatch: pytest.MonkeyPatch) -> None:
    call_store = MemoryCallStore()
    with serve() as provider, saying(monkeypatch, "Well, that depends."):
        found = await graded(provider, True, call_store)
    assert len(call_store.calls) == len(FEATURES) + 1 and tuple(found) == FEATURES


async def test_one_by_one_keeps_the_first_token_of_a_reply_that_was_cut_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_store = MemoryCallStore()
    monkeypatch.setattr(behaviour, "spoilt", lambda text, fault, *, plain: SimulatedReply(f"{text}, bec", "length"))
    with serve() as provider:
        found = await graded(provider, True, call_store)
    assert tuple(found) == FEATURES and len(call_store.calls) == len(FEATURES)
    assert {call.finish_reason for call in call_store.calls} == {"length"}


async def test_one_by_one_of_which_yes_and_no_are_improbable_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def unlikely(said: SimulatedReply, top: int) -> dict[str, object]:
        shares = (("Perhaps", 0.9), ("yes", 0.06), ("no", 0.04))
        shown = [{"token": token, "logprob": math.log(share), "bytes": None} for token, share in shares]
        return {"content": [{**shown[0], "top_logprobs": shown}], "refusal": None}

    monkeypatch.setattr(wire, "_logprobs", unlikely)
    told = r"judgement: yes and no together have only 0\.10 of the first token's probability"
    with serve() as provider, pytest.raises(ReplyError, match=told):
        await graded(provider, True, MemoryCallStore())


def stated(**changes: object) -> str:
    grades = dict.fromkeys(FEATURES, 0.25) | changes
    return json.dumps({"grades": [{"proposition": n, "probability": p} for n, p in grades.items() if p is not None]})


@pytest.mark.parametrize(
    "reply",
    [
        stated(apology=None),
        stated(apology=1.5),
        stated(apology=-0.1),
        stated(apology="likely"),
        stated().replace("0.25", "NaN", 1),
        stated(politeness=0.5),
    ],
    ids=["missing", "above 1", "below 0", "in words", "NaN", "unknown"],
)
async def test_probability_that_is_missing_or_out_of_range_is_asked_again_and_then_a_failure(
    monkeypatch: pytest.MonkeyPatch, reply: str
) -> None:
    call_store = MemoryCallStore()
    with serve() as provider:
        with saying(monkeypatch, reply):
            found = await graded(provider, False, call_store)
        assert len(call_store.calls) == 2 and all(0 <= one.probability <= 1 for one in found.values())
        with saying(monkeypatch, *[reply] * 8), pytest.raises(ReplyError):
            await graded(provider, False, MemoryCallStore())


async def test_one_by_one_without_a_yes_or_no_is_a_failure_and_no_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        serve() as provider,
        saying(monkeypatch, *["Well, that depends."] * 2),
        pytest.raises(ReplyError, match="judgement: neither yes nor no is among the likeliest first tokens") as got,
    ):
        await graded(provider, True, MemoryCallStore())
    assert got.value.reply == "Well, that depends."
