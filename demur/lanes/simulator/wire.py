"""The wire formats of OpenAI and Anthropic: requests, answers, errors, and checks of JSON Schemas in strict mode."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

from demur.lanes.simulator.faults import STATUS, SimulatorFault
from demur.programs.adapter.contract import TASK_PREFIX

Body = dict[str, Any]
Turns = list[tuple[str, str]]


class BadRequestError(Exception):
    """A request that a provider answers with status 400."""


_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}
)


def check_strict(schema: Body) -> None:
    """Refuse JSON Schemas that have unknown keywords or optional fields, or that allow additional fields.

    Raises:
        BadRequestError: with the provider's message.
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


@dataclass(frozen=True, slots=True)
class SimulatedReply:
    """A reply.

    `finish` is the finish reason. `declined` is true if the model declined to answer. `probability` is the probability
    of tokens such as yes and no.
    """

    text: str
    finish: str | None = "stop"
    declined: bool = False
    probability: float = 0.9


class OpenAIWire:
    """Chat completions."""

    path: Final = "/v1/chat/completions"

    def key(self, headers: Any) -> str:
        """Return the API key in the headers of a request; empty if there is none."""
        return str(headers.get("Authorization", "")).removeprefix("Bearer ")

    def conversation(self, body: Body) -> tuple[str, Turns]:
        """Return instructions and turns of a request.

        Raises:
            BadRequestError: messages are missing, or strict mode does not accept the schema.
        """
        try:
            turns = [(str(m["role"]), _text(m["content"])) for m in body["messages"]]
            wanted = body.get("response_format") or {}
            shape = wanted.get("json_schema") if wanted.get("type") == "json_schema" else None
        except (KeyError, TypeError, AttributeError) as exc:
            raise BadRequestError(f"messages: {exc!r}") from exc
        if not turns:
            raise BadRequestError("messages: at least one is required")
        if shape is not None and shape.get("strict"):
            check_strict(shape["schema"])
        if turns[0][0] in _SYSTEM_ROLES:
            return turns.pop(0)[1], turns
        role, said = turns[0]
        if not said.startswith(TASK_PREFIX):
            return "", turns
        system, _, rest = said.rpartition("\n\n")  # a model without the role system
        return system, [(role, rest), *turns[1:]]

    def shape(self, body: Body) -> Body | None:
        """Return the JSON Schema of the reply; None for plain text."""
        if tool := _forced_tool(body):
            return dict(tool["function"]["parameters"])
        wanted = (body.get("response_format") or {}).get("json_schema")
        return wanted["schema"] if wanted else None

    def answer(self, body: Body, said: SimulatedReply, *, first: bool = True) -> Body:
        """Return a chat completion. The reply says that half of the prompt was in the cache."""
        message: Body = {"role": "assistant", "content": None if said.declined else said.text}
        if said.declined:
            message["refusal"] = said.text
        elif tool := _forced_tool(body):
            function = {"name": tool["function"]["name"], "arguments": said.text}
            message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
        tokens_in = tokens(json.dumps(body["messages"]))
        tokens_out = tokens(said.text)
        logprobs = _logprobs(said, int(body.get("top_logprobs") or 0)) if body.get("logprobs") else None
        failed = {"error": {"code": 502, "message": "the model broke off"}} if said.finish == "error" else {}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": said.finish, "message": message, "logprobs": logprobs} | failed],
            "usage": {
                "prompt_tokens": tokens_in,
                "completion_tokens": tokens_out,
                "total_tokens": tokens_in + tokens_out,
                "prompt_tokens_details": {"cached_tokens": tokens_in // 2},
                "completion_tokens_details": {"reasoning_tokens": 1},
            },
        }

    def error(self, fault: SimulatorFault, message: str) -> Body:
        """Return the body of an error."""
        kind, code = _OPENAI_ERRORS.get(fault, ("server_error", None))
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}


class AnthropicWire:
    """Messages."""

    path: Final = "/v1/messages"

    def key(self, headers: Any) -> str:
        """Return the API key in the headers of a request; empty if there is none."""
        return str(headers.get("x-api-key") or headers.get("Authorization", "")).removeprefix("Bearer ")

    def conversation(self, body: Body) -> tuple[str, Turns]:
        """Return instructions and turns of a request.

        Raises:
            BadRequestError: messages or `max_tokens` are missing, a message is empty, or strict mode does not accept
                the schema.
        """
        try:
            turns = [(str(m["role"]), _text(m["content"])) for m in body["messages"]]
            system = _text(body.get("system") or "")
        except (KeyError, TypeError, AttributeError) as exc:
            raise BadRequestError(f"messages: {exc!r}") from exc
        if any(role not in ("user", "assistant") or not content.strip() for role, content in turns):
            raise BadRequestError("messages: text content must be non-empty")
        if not isinstance(body.get("max_tokens"), int):
            raise BadRequestError("max_tokens: Field required")
        if shape := self.shape(body):
            check_strict(shape)
        return system, turns

    def shape(self, body: Body) -> Body | None:
        """Return the JSON Schema of the reply; None for plain text."""
        if tool := _forced_tool(body):
            return dict(tool["input_schema"])
        wanted = (body.get("output_config") or {}).get("format")
        return wanted["schema"] if wanted else None

    def answer(self, body: Body, said: SimulatedReply, *, first: bool = True) -> Body:
        """Return a message.

        If parts of the prompt are marked for caching, the first request writes these parts to the cache, and later
        requests read them from the cache. Otherwise the message says that half of the prompt was in the cache.
        """
        stopped = _STOPPED.get(str(said.finish), said.finish)
        system = body.get("system") or ""
        whole = tokens(json.dumps(body["messages"]) + _text(system))
        marked = _marked(system) + "".join(_marked(message["content"]) for message in body["messages"])
        cached = min(whole, tokens(marked)) if marked else whole // 2
        written = cached if marked and first else 0
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": _blocks(body, said),
            "stop_reason": "refusal" if said.declined else stopped,
            "stop_sequence": None,
            "usage": {
                "input_tokens": max(0, whole - cached),
                "cache_read_input_tokens": cached - written,
                "cache_creation_input_tokens": written,
                "output_tokens": tokens(said.text),
            },
        }

    def error(self, fault: SimulatorFault, message: str) -> Body:
        """Return the body of an error."""
        kind = _ANTHROPIC_ERRORS.get(fault, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


Wire = OpenAIWire | AnthropicWire
_STOPPED: Final = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
_OPENAI_ERRORS: Final[dict[SimulatorFault, tuple[object, object]]] = {
    SimulatorFault.RATE_LIMITED: ("requests", "rate_limit_exceeded"),
    SimulatorFault.UNAUTHORISED: ("invalid_request_error", "invalid_api_key"),
    SimulatorFault.FORBIDDEN: ("invalid_request_error", "unsupported_country_region_territory"),
    SimulatorFault.NOT_FOUND: ("invalid_request_error", "model_not_found"),
    SimulatorFault.BAD_REQUEST: ("invalid_request_error", None),
    SimulatorFault.TOO_LONG: ("invalid_request_error", "context_length_exceeded"),
    SimulatorFault.NO_MONEY: ("insufficient_quota", "insufficient_quota"),
    SimulatorFault.CODE_NO_TEXT: (["server_error"], ["overloaded", {"since": 1}]),
}
_ANTHROPIC_ERRORS: Final[dict[SimulatorFault, object]] = {
    SimulatorFault.RATE_LIMITED: "rate_limit_error",
    SimulatorFault.OVERLOADED: "overloaded_error",
    SimulatorFault.UNAUTHORISED: "authentication_error",
    SimulatorFault.FORBIDDEN: "permission_error",
    SimulatorFault.NOT_FOUND: "not_found_error",
    SimulatorFault.BAD_REQUEST: "invalid_request_error",
    SimulatorFault.TOO_LONG: "invalid_request_error",
    SimulatorFault.NO_MONEY: "billing_error",
    SimulatorFault.CODE_NO_TEXT: ["api_error"],
}


_WORDS: Final = {
    SimulatorFault.TOO_LONG: "prompt is too long: 300000 tokens > 200000 maximum",
}
"""Words of errors that say what happened; other errors repeat the key."""
_SYSTEM_ROLES: Final = frozenset({"system", "developer"})


def error_status(wire: Wire, fault: SimulatorFault) -> int:
    """Return a provider's HTTP status for a fault."""
    return 402 if fault is SimulatorFault.NO_MONEY and isinstance(wire, AnthropicWire) else STATUS[fault]


def error_message(fault: SimulatorFault, key: str) -> str:
    """Return the text of an error. The text repeats the request's key, as some servers do."""
    return _WORDS.get(fault) or f"{STATUS[fault]} {fault.value} for key {key}"


def tokens(text: str) -> int:
    """Return the number of tokens of a text, at four characters a token."""
    return max(1, len(text) // 4)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def _forced_tool(body: Body) -> Body | None:
    return body["tools"][0] if body.get("tools") and isinstance(body.get("tool_choice"), dict) else None


def _blocks(body: Body, said: SimulatedReply) -> list[Body]:
    tool = None if said.declined else _forced_tool(body)
    if tool is not None:
        try:
            return [{"type": "tool_use", "id": "toolu_1", "name": tool["name"], "input": dict(json.loads(said.text))}]
        except ValueError:
            pass  # a spoilt reply is text
    return [{"type": "text", "text": said.text}] if said.text else []


def _marked(system: Any) -> str:
    if isinstance(system, str):
        return ""
    last = max((number for number, block in enumerate(system) if block.get("cache_control")), default=-1)
    return _text(system[: last + 1])


_OPPOSITES: Final = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
_TOKEN: Final = re.compile(rf"\s*(?:\b(?:{'|'.join(_OPPOSITES)})\b|[a-z]{{1,4}}|[^\sa-z]{{1,4}})|\s+", re.IGNORECASE)


def _logprobs(said: SimulatedReply, top: int) -> Body:
    """Return the log-probability of each token of a reply, with at most `top` alternatives for each token.

    The alternatives include the token itself. A token such as yes has the opposite word as second alternative; the two
    probabilities add up to 1. Other tokens have a probability of 0.99 and no second alternative.
    """
    found = []
    for token in _TOKEN.findall(said.text) or [""]:
        other = _OPPOSITES.get(token.strip().lower())
        options = [(token, said.probability if other else 0.99)]
        if other:
            opposite = other.title() if token.strip().istitle() else other
            options.append((opposite, 1 - said.probability))
        shown = [_logprob(text, share) for text, share in sorted(options, key=lambda option: -option[1])]
        found.append({**_logprob(*options[0]), "top_logprobs": shown[:top]})
    return {"content": found, "refusal": None}


def _logprob(token: str, share: float) -> Body:
    return {"token": token, "logprob": math.log(share), "bytes": list(token.encode())}
