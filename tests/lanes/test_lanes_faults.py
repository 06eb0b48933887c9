"""What a lane makes of everything that a provider can do wrong."""

import pytest

from demur.lanes.engine import open_models
from demur.lanes.simulator.faults import SimulatorFault, always, scripted
from demur.lanes.simulator.server import serve
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable, ReplyError
from tests.lanes.asking import KEY, KEYS, LANES, MemoryCallStore, ask, ask_once, judge_once, spec

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # litellm on a body of another shape
ALL_LANES = pytest.mark.parametrize("lane", LANES)

DEADLY = {
    SimulatorFault.UNAUTHORISED: (ErrorKind.AUTHENTICATION, "Is the key in PLANTED_KEY right, and still valid?"),
    SimulatorFault.FORBIDDEN: (ErrorKind.PERMISSION, "May the key use '"),
    SimulatorFault.NOT_FOUND: (ErrorKind.NOT_FOUND, "lexical-overlap' a model of http://127.0.0.1"),
    SimulatorFault.NO_MONEY: (ErrorKind.QUOTA, "top it up"),
}
LASTING = {
    SimulatorFault.BAD_REQUEST: ErrorKind.REQUEST,
    SimulatorFault.TOO_LONG: ErrorKind.CONTEXT_LENGTH,
}
DECLINED = {
    SimulatorFault.REFUSAL: ErrorKind.REFUSAL,
    SimulatorFault.CONTENT_FILTER: ErrorKind.CONTENT_FILTER,
}
PASSING = {
    SimulatorFault.RATE_LIMITED: ErrorKind.RATE_LIMIT,
    SimulatorFault.SERVER_ERROR: ErrorKind.SERVER,
    SimulatorFault.UNAVAILABLE: ErrorKind.SERVER,
    SimulatorFault.OVERLOADED: ErrorKind.OVERLOADED,
    SimulatorFault.DROPPED: ErrorKind.CONNECTION,
    SimulatorFault.TRUNCATED: ErrorKind.CONNECTION,
    SimulatorFault.NOT_JSON: ErrorKind.PROTOCOL,
    SimulatorFault.NOT_THE_INTERFACE: ErrorKind.PROTOCOL,
}


SPOKEN = (SimulatorFault.UNAUTHORISED, SimulatorFault.SERVER_ERROR, SimulatorFault.NOT_JSON)
"""Faults of each way in which a lane can fail: of the whole model, of a request, without a body, in a reply."""


def kind_of(fault: SimulatorFault, lane: str) -> ErrorKind:
    """What a lane calls a passing fault; litellm takes a broken connection for an error of the server."""
    return ErrorKind.SERVER if lane == "litellm" and PASSING[fault] is ErrorKind.CONNECTION else PASSING[fault]


@ALL_LANES
@pytest.mark.parametrize("fault", LASTING)
async def test_lane_lasting_fault_is_asked_once_and_named(lane: str, fault: SimulatorFault) -> None:
    call_store = MemoryCallStore()
    with serve(always(fault)) as provider, pytest.raises(LaneError) as caught:
        await ask_once(provider, lane, call_store)
    assert caught.value.kind is LASTING[fault] and not caught.value.retryable
    assert len(provider.asked) == len(call_store.calls) == 1
    assert (call_store.calls[0].status, call_store.calls[0].error_class) == ("error", LASTING[fault].value)


@ALL_LANES
@pytest.mark.parametrize("fault", DECLINED)
async def test_lane_refusal_is_asked_once_and_kept_with_its_words_and_cost(lane: str, fault: SimulatorFault) -> None:
    kind = ErrorKind.REFUSAL if lane == "anthropic" else DECLINED[fault]
    call_store = MemoryCallStore()
    with serve(always(fault)) as provider, pytest.raises(LaneError) as caught:
        await judge_once(provider, lane, call_store=call_store)
    assert caught.value.kind is kind and not caught.value.retryable
    [call] = call_store.calls
    assert (call.status, call.error_class, call.finish_reason) == ("error", kind.value, kind.value)
    assert call.cost_usd and call.output_tokens and call.reply


@ALL_LANES
@pytest.mark.parametrize("fault", DEADLY)
async def test_lane_fault_of_the_whole_model_is_confirmed_by_a_probe_and_no_units(
    lane: str, fault: SimulatorFault
) -> None:
    kind, remedy = DEADLY[fault]
    call_store = MemoryCallStore()
    with serve(always(fault)) as provider:
        async with open_models([spec(provider, lane)], "respondent", KEYS) as models:
            for _ in range(3):
                with pytest.raises(ModelUnavailable) as caught:
                    await ask(models["served"], call_store)
    assert caught.value.kind is kind and remedy in str(caught.value)
    assert "model 'served'" in str(caught.value)
    assert [call.program for call in call_store.calls] == ["AnswerFromPassage", "Probe"]
    assert len(provider.asked) == 2 and {call.error_class for call in call_store.calls} == {kind.value}


@ALL_LANES
async def test_lane_fault_of_one_request_is_that_units_own_where_a_probe_is_answered(lane: str) -> None:
    fault = SimulatorFault.NOT_FOUND
    call_store = MemoryCallStore()
    with serve(scripted(fault)) as provider:
        async with open_models([spec(provider, lane)], "respondent", KEYS) as models:
            with pytest.raises(LaneError) as caught:
                await ask(models["served"], call_store)
            await ask(models["served"], call_store, unit="unit-2")
    assert caught.value.kind is DEADLY[fault][0]
    assert [call.status for call in call_store.calls] == ["error", "ok", "ok"]


@ALL_LANES
async def test_lane_passing_faults_are_named_and_mended_by_asking_again(
    lane: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demur.lanes.chain.FIRST_BACKOFF_SECONDS", 0.01)
    call_store = MemoryCallStore()
    with serve() as provider:
        async with open_models([spec(provider, lane)], "respondent", KEYS) as models:
            for fault in PASSING:
                provider.plan = scripted(*[None] * len(provider.asked), fault)
                response, _ = await ask(models["served"], call_store, unit=fault)
                assert "1874" in response
    for fault in PASSING:
        failed, mended = (call for call in call_store.calls if call.unit_id == fault)
        assert (failed.attempt, failed.status, failed.error_class) == (1, "error", kind_of(fault, lane).value)
        assert (mended.attempt, mended.status, mended.error_class) == (2, "ok", None)
        assert failed.request_digest == mended.request_digest and failed.call_id != mended.call_id


@ALL_LANES
async def test_lane_hanging_provider_times_out(lane: str) -> None:
    call_store = MemoryCallStore()
    with serve(always(SimulatorFault.HANGING)) as provider:
        hasty = spec(provider, lane, limits={"timeout_seconds": 0.5, "retries": 0})
        async with open_models([hasty], "respondent", KEYS) as models:
            with pytest.raises(LaneError) as caught:
                await ask(models["served"], call_store)
    assert caught.value.kind is ErrorKind.TIMEOUT and caught.value.retryable
    assert call_store.calls[0].error_class == "timeout"


@pytest.mark.parametrize(
    ("lane", "fault"),
    [
        ("openai", SimulatorFault.PROSE),
        ("openai", SimulatorFault.WRONG_TYPES),
        ("anthropic", SimulatorFault.MISSING_FIELDS),
        *((lane, fault) for lane in LANES for fault in (SimulatorFault.CUT, SimulatorFault.EMPTY)),
    ],
)
async def test_lane_wrong_reply_is_repaired_with_its_error_shown(lane: str, fault: SimulatorFault) -> None:
    with serve(scripted(fault)) as provider:
        judged = await judge_once(provider, lane)
    assert judged.quality == 5
    first, second = ([m for m in asked.body["messages"] if m["role"] != "system"] for asked in provider.asked)
    *before, reply, correction = second
    assert before == first
    assert reply["role"] == "assistant" and reply["content"].strip()
    said = {
        SimulatorFault.PROSE: "JSON",
        SimulatorFault.WRONG_TYPES: "explanation",
        SimulatorFault.MISSING_FIELDS: "classification is missing",
        SimulatorFault.CUT: "cut off at the limit of tokens",
        SimulatorFault.EMPTY: "empty",
    }
    assert correction["role"] == "user" and said[fault] in correction["content"]


async def test_lane_text_that_is_cut_off_is_taken_as_it_came() -> None:
    call_store = MemoryCallStore()
    with serve(always(SimulatorFault.CUT)) as provider:
        said = await ask_once(provider, "openai", call_store)
    assert said == call_store.calls[-1].reply != ""
    assert [call.finish_reason for call in call_store.calls] == ["length"] and len(provider.asked) == 1


@ALL_LANES
@pytest.mark.parametrize("fault", SPOKEN)
async def test_lane_key_is_nowhere_in_calls_or_errors(
    lane: str, fault: SimulatorFault, caplog: pytest.LogCaptureFixture
) -> None:
    """The provider repeats the key in its errors, as careless ones do."""
    caplog.set_level("DEBUG", "demur.lanes")
    call_store = MemoryCallStore()
    with serve(always(fault)) as provider, pytest.raises((LaneError, ReplyError, ModelUnavailable)) as caught:
        await ask_once(provider, lane, call_store, limits={"retries": 0})
    assert provider.asked[0].key == KEY
    chain: BaseException | None = caught.value
    while chain is not None:
        assert KEY not in str(chain)
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)
    assert KEY not in repr(call_store.calls) and KEY not in caplog.text
