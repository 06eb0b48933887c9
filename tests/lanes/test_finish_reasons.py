"""Which replies count as whole: only those that end for a reason that is known to be a good one."""

import json
from typing import Any

import openai
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from demur.lanes.providers.anthropic import message_reply
from demur.lanes.providers.decoded import decoded
from demur.lanes.providers.openai import chat_reply
from demur.lanes.providers.response_bodies import end_of
from demur.programs.call_scope import Finish, Reply
from demur.programs.errors import ErrorKind, LaneError

GOOD = {"", "stop", "STOP", "end_turn", "stop_sequence", "tool_calls", "tool_use", "eos", "eos_token", "COMPLETE"}
CUT = {"length", "max_tokens", "MAX_TOKENS", "model_length", "model_context_window_exceeded"}


def completion(finish: object, **choice: object) -> dict[str, Any]:
    message = {"role": "assistant", "content": "half of a text"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return {"choices": [{"index": 0, "finish_reason": finish, "message": message, **choice}], "usage": usage}


def message(stop: object) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 5}
    return {"content": [{"type": "text", "text": "half of a text"}], "stop_reason": stop, "usage": usage}


def readings(finish: object) -> list[Reply | LaneError]:
    """What both interfaces make of a finish reason, live and in a line of a batch's results."""
    answers = (
        (chat_reply, decoded(json.dumps(completion(finish)))),
        (chat_reply, openai.types.chat.ChatCompletion.construct(**completion(finish))),
        (message_reply, decoded(json.dumps(message(finish)))),
    )
    found: list[Reply | LaneError] = []
    for read, answer in answers:
        try:
            found.append(read(answer))
        except LaneError as exc:
            found.append(exc)
    return found


@pytest.mark.parametrize("finish", sorted(GOOD | CUT))
def test_finish_reason_that_is_known_is_a_whole_or_a_cut_reply(finish: str) -> None:
    wanted = "stop" if finish in GOOD else "length"
    assert [one.finish_reason for one in readings(finish) if isinstance(one, Reply)] == [wanted] * 3


def test_finish_reason_that_is_missing_is_a_whole_reply() -> None:
    assert [one.finish_reason for one in readings(None) if isinstance(one, Reply)] == ["stop"] * 3


@given(st.integers() | st.lists(st.text(), max_size=2) | st.text(max_size=30))
def test_finish_reason_that_nobody_knows_is_asked_again_with_what_it_cost(finish: object) -> None:
    assume(end_of(finish) not in set(Finish))
    for error in readings(finish):
        assert isinstance(error, LaneError) and error.retryable and error.kind is ErrorKind.INCOMPLETE
        assert error.reply is not None and error.reply.text == "half of a text"
        assert (error.reply.input_tokens, error.reply.output_tokens) == (10, 5)


def test_error_in_a_choice_is_no_answer_whatever_its_finish_reason() -> None:
    failed = completion("stop", error={"code": 502, "message": "upstream went away"})
    for answer in (decoded(json.dumps(failed)), openai.types.chat.ChatCompletion.construct(**failed)):
        with pytest.raises(LaneError, match="upstream went away") as caught:
            chat_reply(answer)
        assert caught.value.kind is ErrorKind.INCOMPLETE and caught.value.reply is not None
