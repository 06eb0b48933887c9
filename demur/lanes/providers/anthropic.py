"""The anthropic lane: the official SDK's messages endpoint."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes.providers.decoded import Decoded, plain
from demur.lanes.providers.openai import NO_KEY, answered_error, connection_error, read_body
from demur.lanes.providers.provider_errors import error_in
from demur.lanes.providers.response_bodies import checked_end, content_of, end_of, read_as, usage_of
from demur.lanes.providers.sdks import http_client, send_only
from demur.lanes.registry import PLATFORMS, Via, credentials_error, foreign_address, missing_package
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import TOOL_WORDS, Access, no_logprobs
from demur.programs.adapter.json_adapter import shared_inputs, system_text
from demur.programs.call_scope import Finish, Reply
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.installation import MissingPackageError, install_command

ANTHROPIC_URL: Final = "https://api.anthropic.com"
FEWEST_CACHED_CHARACTERS: Final = 3_500
"""The fewest characters to mark for the provider's cache: about 1,000 tokens, which every model caches."""


class AnthropicTransport:
    """Messages through the anthropic SDK.

    The SDK sends with aiohttp, which takes 0.9 ms of CPU for a request. The SDK's default HTTP client takes 1.4 ms. For
    the platforms of `via`, the SDK also finds the credentials.
    """

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        import anthropic

        self._anthropic = anthropic
        self._spec = spec
        self._client = open_client(anthropic, spec, access, spec.limits.timeout_seconds)
        self._create = self._client.messages.with_raw_response.create

    async def ask(self, request: Request) -> Reply:
        """Return the joined text blocks of the model's answer.

        Raises:
            LaneError: the provider answered with an error, declined, or did not answer.
        """
        if request.config.logprobs is not None:
            raise no_logprobs(self._spec)
        with explained(self._anthropic, self._spec):
            answer = await self._create(**_as_sent(message_body(self._spec, request)))
            return message_reply(read_body(answer.http_response.content, answer.http_response.headers), request)

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._client.close()


def open_client(anthropic: ModuleType, spec: ModelSpec, access: Access, longest_seconds: float) -> Any:
    """Return a client of the SDK that sends with aiohttp; a request takes at most `longest_seconds`.

    Raises:
        MissingPackageError: a platform needs another package.
    """
    options = {
        "max_retries": 0,
        "timeout": spec.limits.timeout_seconds,
        "default_headers": access.headers,
        "http_client": http_client(anthropic, longest_seconds),
    }
    if spec.via is not None:
        client = _open_platform(anthropic, spec, access.api_key, options)
    else:
        address = spec.base_url or ANTHROPIC_URL
        client = anthropic.AsyncAnthropic(api_key=access.api_key or NO_KEY, base_url=address, **options)
    if spec.base_url is not None and (spec.via is None or foreign_address(spec.via, spec.base_url)):
        send_only(client, access.headers)
    return client


def _open_platform(anthropic: ModuleType, spec: ModelSpec, api_key: str | None, options: dict[str, Any]) -> Any:
    assert spec.via is not None
    options["base_url"] = spec.base_url or PLATFORMS[spec.via].address(str(spec.region))
    missing = missing_package(spec.via)
    if missing is not None:
        raise MissingPackageError(
            f"model '{spec.name}' is asked via {spec.via}, which needs {missing}: {install_command(spec.via)}"
        )
    if spec.via is Via.BEDROCK:
        return anthropic.AsyncAnthropicBedrock(aws_region=spec.region, api_key=api_key, **options)
    return anthropic.AsyncAnthropicVertex(region=spec.region, project_id=spec.project, access_token=api_key, **options)


@contextmanager
def explained(anthropic: ModuleType, spec: ModelSpec) -> Iterator[None]:
    """Turn errors of the SDK and of a platform's credentials into LaneErrors."""
    try:
        yield
    except LaneError:
        raise
    except anthropic.APIStatusError as exc:
        raise answered_error(exc.response) from exc
    except anthropic.APIConnectionError as exc:
        raise credentials_error(exc) or connection_error(exc) from exc
    except (anthropic.AnthropicError, ValueError) as exc:
        raise LaneError(f"unreadable answer: {exc}", kind=ErrorKind.PROTOCOL) from exc
    except Exception as exc:
        credentials = credentials_error(exc) if spec.via is not None else None
        if credentials is None:
            raise
        raise credentials from exc


def message_body(spec: ModelSpec, request: Request) -> dict[str, Any]:
    """Return the arguments of the SDK's `create`; the spec's parameters other than `max_tokens` are in `extra_body`."""
    extra = dict(spec.parameters)
    body: dict[str, Any] = {
        "model": spec.model,
        "max_tokens": extra.pop("max_tokens"),
        "system": system_text(request),
        "messages": [{"role": m.role, "content": m.text or ""} for m in request.messages],
        "extra_body": extra,
    }
    if spec.prompt_cache:
        _mark_constant_parts(body, request)
    wanted = request.config.response_format
    if wanted is not None and spec.structured_output == "tool":
        body["tools"] = [{"name": wanted["name"], "description": TOOL_WORDS, "input_schema": wanted["schema"]}]
        body["tool_choice"] = {"type": "tool", "name": wanted["name"], "disable_parallel_tool_use": True}
    elif wanted is not None and wanted["strict"] and spec.structured_output:
        config = extra.pop("output_config", None)
        shape = {"type": "json_schema", "schema": wanted["schema"]}
        body["output_config"] = {**(config if isinstance(config, dict) else {}), "format": shape}
    return body


def _as_sent(body: dict[str, Any]) -> dict[str, Any]:
    """Move all large fields into `extra_body`, because the SDK does not convert the values in `extra_body`."""
    rest = {name: body[name] for name in body.keys() - {"model", "max_tokens", "extra_body"}}
    return {
        "model": body["model"],
        "max_tokens": body["max_tokens"],
        "messages": (),
        "extra_body": {**rest, **body["extra_body"]},
    }


def _mark_constant_parts(body: dict[str, Any], request: Request) -> None:
    """Mark the constant beginnings of a prompt, so that the provider caches these beginnings.

    Cached input costs a tenth of the price. The first mark ends the instructions. The second mark ends the inputs that
    many requests share, such as the texts of a stratum, a lever or a policy. A beginning shorter than
    `FEWEST_CACHED_CHARACTERS` gets no mark.
    """
    system = str(body["system"])
    shared = shared_inputs(request)
    if len(system) >= FEWEST_CACHED_CHARACTERS:
        body["system"] = [_marked(system)]
    if shared is not None and len(system) + shared[1] >= FEWEST_CACHED_CHARACTERS:
        message, characters = shared
        text = body["messages"][message]["content"]
        rest = {"type": "text", "text": text[characters:]}
        body["messages"][message]["content"] = [_marked(text[:characters]), rest]


def _marked(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def message_reply(answer: Decoded, request: Request | None = None) -> Reply:
    """Return the joined text blocks of a message as a reply to `request`.

    The input of a tool is the reply's text only if the request asks for JSON.

    Raises:
        LaneError: the model declined, the text may be cut off, or the answer is not a message.
    """
    is_message = "content" in answer.fields and not answer.error
    if not is_message and (failed := error_in(answer, "content", "message")) is not None:
        raise failed
    spent = usage_of(answer.usage, cached_apart=True)
    with read_as("message", spent):
        content = content_of(answer.content)
        blocks = answer.content if isinstance(answer.content, list) else []
        used = {str(block.name): json.dumps(plain(block.input)) for block in blocks if block.type == "tool_use"}
        text = content.text
        wanted = None if request is None else request.config.response_format
        if used and wanted is not None:
            text = used.get(wanted["name"]) or text or next(iter(used.values()))
        end: str = end_of(answer.stop_reason)
        if used and wanted is None and end == Finish.STOP:
            end = Finish.TOOL_CALLS
    return checked_end(replace(spent, text=text or "", finish_reason=end, reasoning=content.reasoning))
