"""Systems: products around models, which get a question and passages and reply in plain words.

This module reads requests for systems, and turns their answers into replies.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes.probe import PROBE_TASK
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import no_logprobs
from demur.programs.adapter.digests import system_text
from demur.programs.adapter.json_adapter import read_request, task_of
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.programs.journal import Reply
from demur.programs.signatures.registry import SIGNATURES
from demur.programs.signatures.system import AskSystem, AskSystemOfIndex

LONGEST_TEXT: Final = 1_000_000
"""The longest answer in characters."""
INDEX_SECONDS: Final = 1_800
"""The longest time in which a system must index all passages."""
MOST_REFERENCES: Final = 10_000
"""The most citations of an answer, or retrieved passages."""
REFERENCES: Final = ("citations", "retrieved")


@dataclass(frozen=True, slots=True)
class SystemQuestion:
    """A question to a system, with the texts of its passages.

    If the system searches an index itself, `passages` is empty, and `view` has the ids of the item (`item`) and of the
    base instance (`base`). These ids decide which passages of the index the system may use. Otherwise `view` is None.
    """

    question: str
    passages: list[str]
    view: dict[str, str] | None = None


PROBE: Final = SystemQuestion("What colour is the door?", ["The door is green."])
"""The probe of a system."""


def asked_of_system(spec: ModelSpec, request: Request) -> SystemQuestion:
    """Return a request as a question to a system.

    Raises:
        LaneError: the request asks for something other than a response in plain words.
    """
    if request.config.logprobs is not None:
        raise no_logprobs(spec)
    if task_of(system_text(request)) == PROBE_TASK:
        return PROBE
    try:
        task, inputs = read_request(request, SIGNATURES)
    except ProgramError as exc:
        raise LaneError(str(exc), kind=ErrorKind.REQUEST) from exc
    if task == AskSystemOfIndex.__name__:
        return SystemQuestion(inputs["question"], [], {name: inputs[name] for name in ("item", "base")})
    if task != AskSystem.__name__:
        raise LaneError(f"system '{spec.name}' only answers questions and cannot do {task}", kind=ErrorKind.REQUEST)
    return SystemQuestion(inputs["question"], [passage.text for passage in inputs["passages"]])


def unreadable(spec: ModelSpec, what: str) -> LaneError:
    """Return the error for a system's unusable return value; the error is not retryable."""
    return LaneError(f"system '{spec.name}' returned {what}", kind=ErrorKind.PROTOCOL, retryable=False)


def reply_of_system(spec: ModelSpec, text: object, references: Mapping[str, object]) -> Reply:
    """Return a system's answer as a reply to `AskSystem`.

    Raises:
        LaneError: the answer is not a text, or its references are not a list of texts or numbers.
    """
    if not isinstance(text, str):
        raise unreadable(spec, f"{type(text).__name__}, which has no text")
    if not text.strip():
        raise unreadable(spec, "an empty text")
    if len(text) > LONGEST_TEXT:
        raise unreadable(spec, f"{len(text):,} characters, and {LONGEST_TEXT:,} are the most that are read")
    read: dict[str, Any] = {"response": text}
    for name in REFERENCES:
        given = references.get(name)
        read[name] = None if given is None else _references(spec, name, given)
    return Reply(text=json.dumps(read, ensure_ascii=False))


def _references(spec: ModelSpec, name: str, given: object) -> list[str]:
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | set | frozenset):
        raise unreadable(spec, f"{name} of type {type(given).__name__}, and a list of ids is needed")
    if len(given) > MOST_REFERENCES:
        raise unreadable(spec, f"{len(given):,} {name}, and {MOST_REFERENCES:,} are the most that are read")
    wrong = [one for one in given if isinstance(one, bool) or not isinstance(one, str | int)]
    if wrong:
        raise unreadable(spec, f"{name} that hold {type(wrong[0]).__name__}, and ids (texts or numbers) are needed")
    return [str(one) for one in given]
