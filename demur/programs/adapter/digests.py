"""Digests of requests, by which recorded answers are found."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from dspy.lm15 import Request

DIGESTED_FORMAT: Final = "digested_format"
"""The extension of a request with the reply's format of which its digest is made, if that is not the format sent."""

_ENCODER: Final = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def digest_of(*parts: object) -> str:
    """Return the hash of JSON-compatible parts, in hexadecimal."""
    return hashlib.sha256(_json(parts)).hexdigest()


def request_digest(request: Request) -> str:
    """Return the hash of a request's instructions, turns, format and log-probabilities, without the model's name.

    The hashes of instructions and formats are cached, since many requests share them.
    """
    digest = _begun(system_text(request)).copy()
    digest.update(_json([(message.role, message.text) for message in request.messages]))
    wanted = (request.config.extensions or {}).get(DIGESTED_FORMAT, request.config.response_format)
    digest.update(_end(_Shape(wanted), request.config.logprobs))
    return digest.hexdigest()[:32]


def system_text(request: Request) -> str:
    """Return a request's instructions as one text."""
    if request.system is None or isinstance(request.system, str):
        return request.system or ""
    return "".join(part.text for part in request.system if hasattr(part, "text"))


def wanted_text(request: Request) -> str | None:
    """Return the format of a request's reply as JSON text; None for plain text."""
    wanted = request.config.response_format
    return None if wanted is None else _wanted_text(_Shape(wanted))


class _Shape:
    """A cache key for a reply's format. Two keys are equal if they hold the same format object."""

    __slots__ = ("wanted",)

    def __init__(self, wanted: Mapping[str, Any] | None) -> None:
        self.wanted = wanted

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Shape) and other.wanted is self.wanted

    def __hash__(self) -> int:
        return id(self.wanted)


@lru_cache(maxsize=256)
def _begun(system: str) -> "hashlib._Hash":
    return hashlib.sha256(b"[" + _json(system) + b",")


@lru_cache(maxsize=256)
def _end(shape: _Shape, logprobs: int | None) -> bytes:
    return b"," + _json([shape.wanted] if logprobs is None else [shape.wanted, logprobs])[1:]


@lru_cache(maxsize=256)
def _wanted_text(shape: _Shape) -> str:
    return json.dumps(shape.wanted, ensure_ascii=False)


def _json(value: object) -> bytes:
    return _ENCODER.encode(value).encode()
