"""Servers and models with ways of their own, over HTTP: what is good is read as usual, and what is not stops early."""

import pytest

from demur.lanes.engine import open_models
from demur.lanes.simulator.faults import OddAnswer, always
from demur.lanes.simulator.server import serve
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable
from tests.lanes import odd_answers
from tests.lanes.asking import KEYS, LANES, MemoryCallStore, ask, ask_once, judge_once, spec

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # litellm on a body of another shape
ALL_LANES = pytest.mark.parametrize("lane", LANES)
CHAT = pytest.mark.parametrize("lane", ["openai", "litellm"])


@ALL_LANES
async def test_good_answers_in_odd_shapes_are_read_as_usual(lane: str) -> None:
    with serve() as provider:
        usual, judged = await ask_once(provider, lane, MemoryCallStore()), await judge_once(provider, lane)
        for name, odd in odd_answers.GOOD.items():
            provider.plan = always(odd)
            assert (name, await ask_once(provider, lane, MemoryCallStore())) == (name, usual)
            assert (name, await judge_once(provider, lane)) == (name, judged)


@CHAT
async def test_system_role_that_a_server_refuses_is_not_sent_again(lane: str) -> None:
    call_store = MemoryCallStore()
    with serve(odd_answers.no_system_role) as provider:
        async with open_models([spec(provider, lane)], "respondent", KEYS) as models:
            for unit in ("unit-1", "unit-2"):
                response, _ = await ask(models["served"], call_store, unit=unit)
        assert [odd_answers.sends_system(asked.body) for asked in provider.asked] == [True, False, False]
        assert {call.status for call in call_store.calls} == {"ok"} and "1874" in response
        provider.asked.clear()
        await ask_once(provider, lane, call_store, system_role=False)
        assert [odd_answers.sends_system(asked.body) for asked in provider.asked] == [False]


@ALL_LANES
async def test_daily_allowance_stops_at_once_and_says_when_it_goes_on(lane: str) -> None:
    call_store = MemoryCallStore()
    with serve(always(odd_answers.DAILY_QUOTA)) as provider:
        async with open_models([spec(provider, lane)], "respondent", KEYS) as models:
            for unit in ("unit-1", "unit-2", "unit-3"):
                with pytest.raises(ModelUnavailable, match=r"free-models-per-day\. It allows no more .* in \d+ h"):
                    await ask(models["served"], call_store, unit=unit)
        assert len(provider.asked) == 1
    assert [call.error_class for call in call_store.calls] == ["rate_limit"]


@ALL_LANES
@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (odd_answers.WEB_PAGE, ErrorKind.PERMISSION, r"HTTP 403: a web page \('Attention Required!'\)\. .*base_url"),
        (odd_answers.CONTEXT_SIZE, ErrorKind.CONTEXT_LENGTH, "exceeds the available context size"),
        (odd_answers.STREAM, ErrorKind.PROTOCOL, "a stream of events"),
    ],
)
async def test_odd_refusal_is_named_once(lane: str, fault: OddAnswer, kind: ErrorKind, words: str) -> None:
    call_store = MemoryCallStore()
    with serve(always(fault)) as provider, pytest.raises((LaneError, ModelUnavailable), match=words) as caught:
        await ask_once(provider, lane, call_store)
    assert caught.value.kind is kind  # type: ignore[union-attr]
    assert len(call_store.calls) == (2 if kind is ErrorKind.PERMISSION else 1)
