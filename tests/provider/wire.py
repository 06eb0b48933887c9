"""The two wire formats: what a request says, and how an answer or an error looks."""

import json
from dataclasses import dataclass
from typing import Any

from tests.provider.faults import STATUS, Fault

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A text, why it ended, and whether the model declined with it."""

    text: str
    finish: str = "stop"
    declined: bool = False


class BadRequestError(Exception):
    """A request that a real provider would answer with 400."""


class OpenAIWire:
    """Chat completions."""

    path = "/v1/chat/completions"

    def key(self, headers: Any) -> str:
        return str(headers.get("Authorization", "")).removeprefix("Bearer ")

    def conversation(self, body: Body) -> tuple[str, list[tuple[str, str]]]:
        system, *turns = [(m["role"], m["content"]) for m in body["messages"]]
        if system[0] != "system":
            raise BadRequestError("the first message must be the system's")
        wanted = body.get("response_format")
        if wanted is not None and wanted["json_schema"].get("strict"):
            check_strict(wanted["json_schema"]["schema"])
        return system[1], turns

    def answer(self, body: Body, said: Said) -> Body:
        message = {"role": "assistant", "content": None if said.declined else said.text}
        if said.declined:
            message["refusal"] = said.text
        tokens_in, tokens_out = _tokens(json.dumps(body["messages"])), _tokens(said.text)
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": said.finish, "message": message, "logprobs": None}],
            "usage": {
                "prompt_tokens": tokens_in,
                "completion_tokens": tokens_out,
                "total_tokens": tokens_in + tokens_out,
                "prompt_tokens_details": {"cached_tokens": tokens_in // 2},
                "completion_tokens_details": {"reasoning_tokens": 1},
            },
        }

    def error(self, fault: Fault, message: str) -> Body:
        code = {Fault.TOO_LONG: "context_length_exceeded", Fault.NO_MONEY: "insufficient_quota"}.get(fault, fault.value)
        return {"error": {"message": message, "type": fault.value, "param": None, "code": code}}


class AnthropicWire:
    """Messages."""

    path = "/v1/messages"

    def key(self, headers: Any) -> str:
        return str(headers.get("x-api-key") or headers.get("Authorization", "")).removeprefix("Bearer ")

    def conversation(self, body: Body) -> tuple[str, list[tuple[str, str]]]:
        turns = [(m["role"], m["content"]) for m in body["messages"]]
        if any(role not in ("user", "assistant") or not content.strip() for role, content in turns):
            raise BadRequestError("messages: text content must be non-empty")
        if not isinstance(body.get("max_tokens"), int):
            raise BadRequestError("max_tokens: Field required")
        wanted = body.get("output_config", {}).get("format")
        if wanted is not None:
            check_strict(wanted["schema"])
        return body["system"], turns

    def answer(self, body: Body, said: Said) -> Body:
        stopped = {"stop": "end_turn", "length": "max_tokens"}.get(said.finish, "refusal")
        tokens_in = _tokens(json.dumps(body["messages"]) + body["system"])
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": said.text}] if said.text else [],
            "stop_reason": "refusal" if said.declined else stopped,
            "stop_sequence": None,
            "usage": {
                "input_tokens": tokens_in - tokens_in // 2,
                "cache_read_input_tokens": tokens_in // 2,
                "cache_creation_input_tokens": 0,
                "output_tokens": _tokens(said.text),
            },
        }

    def error(self, fault: Fault, message: str) -> Body:
        kind = {Fault.NO_MONEY: "billing_error"}.get(fault, f"{fault.value}_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


def error_message(fault: Fault, key: str) -> str:
    """Return what an error says; careless servers repeat the key that they were sent."""
    if fault is Fault.TOO_LONG:
        return "prompt is too long: 300000 tokens > 200000 maximum"
    return f"{STATUS[fault]} {fault.value} for key {key}"


def _tokens(text: str) -> int:
    return max(1, len(text) // 4)


_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}
)


def check_strict(schema: Body) -> None:
    """Refuse what strict modes refuse: other keywords, optional or free fields.

    Raises:
        BadRequestError: as a provider would answer.
    """
    unknown = schema.keys() - _KEYWORDS
    if unknown:
        raise BadRequestError(f"schema: {sorted(unknown)} is not permitted")
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise BadRequestError("schema: additionalProperties must be false")
        if set(schema["required"]) != set(schema["properties"]):
            raise BadRequestError("schema: every field must be required")
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for child in [*children, *([schema["items"]] if "items" in schema else [])]:
        check_strict(child)
