"""Bodies of any shape: each becomes a call in the ledger, and is asked again where that can help."""

import json
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.providers.anthropic import message_reply
from demur.lanes.providers.decoded import decoded
from demur.lanes.providers.openai import chat_reply
from demur.lanes.providers.provider_errors import status_error
from demur.programs.errors import LaneError

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # litellm on a body of another shape


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
