"""Bodies of any shape: each becomes a call in the ledger, and is asked again where that can help."""

import json
from pathlib import Path
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.engine.state.shared import shared_state
from demur.lanes.engine import open_models
from demur.lanes.providers.anthropic import message_reply
from demur.lanes.providers.decoded import decoded
from demur.lanes.providers.openai import chat_reply
from demur.lanes.providers.provider_errors import status_error
from demur.lanes.simulator.faults import SimulatorFault, scripted
from demur.lanes.simulator.server import serve
from demur.programs.errors import LaneError
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.round_rows import load_calls
from tests.lanes.asking import KEYS, LANES, ask, spec

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # litellm on a body of another shape
ASKED_AGAIN = {
    SimulatorFault.NESTED: "protocol",
    SimulatorFault.REFUSAL_NO_TEXT: "protocol",
    SimulatorFault.NESTED_ERROR: "server",
    SimulatorFault.CODE_NO_TEXT: "server",
}


@pytest.mark.parametrize("lane", LANES)
async def test_lane_odd_body_is_a_row_of_calls_and_asked_again_where_it_is_no_answer(
    lane: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demur.lanes.chain.FIRST_BACKOFF_SECONDS", 0.01)
    home, faults = Home(tmp_path), [*ASKED_AGAIN, SimulatorFault.HUGE_USAGE, SimulatorFault.NO_USAGE]
    with serve() as provider:
        async with (
            shared_state(home).calls("round-1", "respond", "shard") as journal,
            open_models([spec(provider, lane)], "respondent", KEYS) as models,
        ):
            for fault in faults:
                provider.plan = scripted(*[None] * len(provider.asked), fault)
                response, _ = await ask(models["served"], journal, unit=fault)  # type: ignore[arg-type]
                assert "1874" in response
    calls = ledger(home)
    for fault in faults:
        of_unit = [call for call in calls if call["unit_id"] == fault]
        if fault in ASKED_AGAIN:
            found = [(call["status"], call["error_class"]) for call in of_unit]
            assert found == [("error", ASKED_AGAIN[fault]), ("ok", None)]
        else:
            [call] = of_unit
            assert (call["status"], call["input_tokens"], call["cost_usd"]) == ("ok", None, None)
            assert float(str(call["reserved_usd"])) > 0


def ledger(home: Home) -> list[dict[str, object]]:
    with writing(home, wait_seconds=0) as con:
        for calls in shared_state(home).calls_beyond("round-1", {}):
            assert load_calls(con, calls) == []
    with reading(home, "loader") as con:
        found = con.execute("SELECT * FROM calls ORDER BY attempt")
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    parts=st.fixed_dictionaries({name: JSON for name in ("finish", "content", "refusal", "tools", "logprobs", "usage")})
)
def test_chat_completion_of_any_shape_is_a_reply_or_an_error_that_is_asked_again(parts: dict[str, Any]) -> None:
    message = {"content": parts["content"], "refusal": parts["refusal"], "tool_calls": parts["tools"]}
    choice = {"finish_reason": parts["finish"], "message": message, "logprobs": parts["logprobs"]}
    body = {"choices": [choice], "usage": parts["usage"]}
    completion = openai.types.chat.ChatCompletion
    for answer in (decoded(json.dumps(body)), completion.construct(**body)):
        assert_kept(chat_reply, answer)


@given(parts=st.fixed_dictionaries(dict.fromkeys(("content", "stop_reason", "usage"), JSON)))
def test_message_of_any_shape_is_a_reply_or_an_error_that_is_asked_again(parts: dict[str, Any]) -> None:
    bodies = (parts, {**parts, "content": [{"type": "text", "text": parts["content"]}]})
    for body in (*bodies, {**parts, "content": [{"type": "tool_use", "input": parts["content"]}]}):
        assert_kept(message_reply, decoded(json.dumps(body)))


def assert_kept(read: Any, answer: object) -> None:
    try:
        reply = read(answer)
    except LaneError as exc:
        assert exc.retryable or exc.kind in ("refusal", "content_filter")
        reply = exc.reply
    if reply is not None:
        assert isinstance(reply.text, str) and isinstance(reply.finish_reason, str)
        tokens = (reply.input_tokens, reply.output_tokens, reply.cached_tokens, reply.reasoning_tokens)
        assert all(count is None or 0 <= count < 2**53 for count in tokens)


@given(status=st.integers(400, 599), code=JSON)
def test_error_code_of_any_shape_is_judged_by_its_status(status: int, code: Any) -> None:
    if not isinstance(code, str):
        assert status_error(status, "no", {}, code).kind is status_error(status, "no", {}).kind
