"""Each line of `odd_answers.yaml`: what a server says in a way of its own is read, or named with a remedy."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from dspy.lm15 import Config, Message, Request

from demur.lanes.providers.anthropic import message_reply
from demur.lanes.providers.decoded import Decoded
from demur.lanes.providers.openai import answered_error, chat_reply, read_body
from demur.lanes.providers.provider_errors import cut, named_error
from demur.lanes.providers.response_bodies import usage_of
from demur.lanes.spec import ModelSpec
from demur.lanes.throttle.circuit_breaker import remedy
from demur.programs.call_scope import Reply
from demur.programs.errors import LaneError

TABLE: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "odd_answers.yaml").read_text("utf-8"))
SPEC = ModelSpec(name="m", provider="openai", model="m", base_url="http://x/v1", parameters={"max_tokens": 9})
READINGS = ("text", "finish", "reasoning")


def request_for(wanted: str | None) -> Request:
    shape = None if wanted is None else {"type": "json_schema", "name": wanted, "schema": {}, "strict": False}
    return Request(model="m", system="Task: x", messages=(Message.user("?"),), config=Config(response_format=shape))


def body_of(row: dict[str, Any]) -> bytes:
    if "raw" in row:
        return str(row["raw"]).encode(row.get("encoding", "utf-8"))
    if "raw_page" in row:
        return f"<html><title>Attention</title>{'x' * row['raw_page']}</html>".encode()
    if "words_long" in row:
        return json.dumps({"error": {"message": "word " * row["words_long"]}}).encode()
    message = {"role": "assistant", "content": "In 1874.", **row.get("message", {})}
    choice = {"index": 0, "finish_reason": "stop", "message": message, **row.get("choice", {})}
    return json.dumps(row.get("body", {"choices": [choice]})).encode()


def read(row: dict[str, Any]) -> Reply:
    headers = {"content-type": row.get("type", "application/json"), **row.get("headers", {})}
    response = httpx.Response(row.get("status", 200), headers=headers, content=body_of(row))
    if response.status_code >= 400:
        raise answered_error(response)
    return chat_reply(read_body(response.content, response.headers), request_for(row.get("wanted")))


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if "text" in row])
def test_odd_answer_that_has_a_reply_is_read(name: str) -> None:
    row = TABLE[name]
    reply = read(row)
    expected = {"finish": "stop", "reasoning": None, **{key: row[key] for key in READINGS if key in row}}
    assert {"text": reply.text, "finish": reply.finish_reason, "reasoning": reply.reasoning} == expected


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if "kind" in row])
def test_odd_answer_that_has_none_is_named_with_a_remedy(name: str) -> None:
    row = TABLE[name]
    with pytest.raises(LaneError) as caught:
        read(row)
    error = caught.value
    assert (error.kind, error.retryable) == (row["kind"], row.get("again", False))
    assert row.get("words", "") in str(error) and row.get("remedy", "") in remedy(SPEC, error)
    assert len(cut(str(error))) <= row.get("longest", 510) and "NoneType" not in str(error)
    assert ("Try again later" in remedy(SPEC, error)) <= error.retryable
    if "reply" in row:
        assert error.reply is not None and error.reply.text == row["reply"]
    wait = error.retry_after_seconds
    assert wait == pytest.approx(row["wait"]) if "wait" in row else (wait or 0) >= row.get("wait_from", 0)


MESSAGES = {
    "a text in place of blocks": ({"content": "In 1874."}, ("In 1874.", "stop", None)),
    "no blocks": ({"content": []}, ("", "stop", None)),
    "null in place of blocks": ({"content": None}, ("", "stop", None)),
    "thinking": (
        {"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "In 1874."}]},
        ("In 1874.", "stop", "Hm."),
    ),
    "thinking up to the limit": (
        {"content": [{"type": "thinking", "thinking": "Hm"}], "stop_reason": "max_tokens"},
        ("", "length", "Hm"),
    ),
    "a tool that nobody offered": (
        {"content": [{"type": "tool_use", "name": "search", "input": {}}], "stop_reason": "tool_use"},
        ("", "tool_calls", None),
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_odd_message_is_read(name: str) -> None:
    body, expected = MESSAGES[name]
    reply = message_reply(Decoded({"stop_reason": "end_turn", **body}), request_for(None))
    assert (reply.text, reply.finish_reason, reply.reasoning) == expected


ERRORS: dict[str, tuple[dict[str, Any], str]] = {
    "an error with status 200": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "x"}},
        "overloaded",
    ),
    "another interface": ({"choices": []}, "protocol"),
    "a refusal": ({"content": [], "stop_reason": "refusal"}, "refusal"),
    "a pause": ({"content": [{"type": "text", "text": "half"}], "stop_reason": "pause_turn"}, "incomplete"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_odd_message_without_a_reply_is_named(name: str) -> None:
    body, kind = ERRORS[name]
    with pytest.raises(LaneError) as caught:
        message_reply(Decoded(body), request_for(None))
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rate_limit_error", "rate_limit"),
        ("billing_error", "quota"),
        ("request_too_large", "context_length"),
        (7, "server"),
    ],
)
def test_error_with_a_name_alone_is_named(name: object, kind: str) -> None:
    assert named_error(name, "no").kind == kind


USAGE: dict[str, tuple[dict[str, Any], bool, tuple[int | None, ...]]] = {
    "OpenAI": ({"prompt_tokens": 1000, "completion_tokens": 510, "total_tokens": 1510}, False, (1000, 510, None)),
    "reasoning inside": (
        {"prompt_tokens": 9, "completion_tokens": 510, "completion_tokens_details": {"reasoning_tokens": 500}},
        False,
        (9, 510, None),
    ),
    "reasoning outside, by the total": (
        {
            **{"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1510},
            "completion_tokens_details": {"reasoning_tokens": 500},
        },
        False,
        (1000, 510, None),
    ),
    "reasoning outside, by its count": (
        {"prompt_tokens": 1000, "completion_tokens": 10, "completion_tokens_details": {"reasoning_tokens": 500}},
        False,
        (1000, 510, None),
    ),
    "a total alone": ({"prompt_tokens": 1000, "total_tokens": 1510}, False, (1000, 510, None)),
    "names of the newer interface": (
        {"input_tokens": 10, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 4}},
        False,
        (10, 5, 4),
    ),
    "hits and misses": (
        {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_cache_hit_tokens": 900},
        False,
        (1000, 100, 900),
    ),
    "cached tokens that are not in the prompt": (
        {"prompt_tokens": 100, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 900}},
        False,
        (1000, 9, 900),
    ),
    "Anthropic": (
        {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 30},
        True,
        (180, 20, 50),
    ),
    "whole floats": ({"prompt_tokens": 1000.0, "completion_tokens": 100.0}, False, (1000, 100, None)),
    "texts": ({"prompt_tokens": "1000", "completion_tokens": "100"}, False, (1000, 100, None)),
    "null details": ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": None}, False, (9, 1, None)),
    "a count below 0": ({"prompt_tokens": 1000, "completion_tokens": -1}, False, (1000, None, None)),
    "half a token": ({"prompt_tokens": 1000, "completion_tokens": 1.5}, False, (1000, None, None)),
    "zeros": ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, False, (None, 0, None)),
    "nothing": ({}, False, (None, None, None)),
}


@pytest.mark.parametrize("name", USAGE)
def test_usage_counts_all_output_in_every_spelling(name: str) -> None:
    usage, apart, expected = USAGE[name]
    found = usage_of(usage, cached_apart=apart)
    assert (found.input_tokens, found.output_tokens, found.cached_tokens) == expected
