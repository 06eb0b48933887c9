"""Digests of requests: the hash of all that is sent, whatever of it was hashed before."""

import hashlib
import json

import pytest
from dspy.lm15 import Config, Message, Request

from demur.programs.adapter.json_adapter import request_digest

SHAPE: dict[str, object] = {"type": "json_schema", "name": "Reply", "schema": {"type": "object"}}


@pytest.mark.parametrize("logprobs", [None, 5])
@pytest.mark.parametrize("shape", [None, SHAPE])
def test_digest_of_a_request_is_the_hash_of_the_list_of_its_parts(
    shape: dict[str, object] | None, logprobs: int | None
) -> None:
    messages = (Message.user("wie groß?"), Message.assistant("{"), Message.user("again \U0001f642"))
    request = Request(
        model="any",
        system="Task: ü\nDo it.",
        messages=messages,
        config=Config(response_format=shape, logprobs=logprobs),
    )
    parts: list[object] = [request.system, [(one.role, one.text) for one in messages], shape]
    plain = json.dumps(parts if logprobs is None else [*parts, logprobs], separators=(",", ":"))
    assert request_digest(request) == hashlib.sha256(plain.encode()).hexdigest()[:32]
    assert request_digest(request) == request_digest(request)
