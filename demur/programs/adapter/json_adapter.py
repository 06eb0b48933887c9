"""The adapter between DSPy signatures and models, digests of requests, and direct calls of a model's engine."""

import hashlib
import json
import re
from collections.abc import Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol, cast

import dspy
from dspy.lm15 import Config, Message, Request, Response
from dspy.utils.exceptions import LMError

from demur.programs.adapter.contract import TASK_PREFIX, Contract, Fields, contract, wanted_format
from demur.programs.adapter.reply_fields import current_capture, record_logprobs
from demur.programs.call_scope import last_reply, note_cut, note_reply
from demur.programs.errors import ErrorKind, LaneError, ProgramError, ReplyError
from demur.programs.signatures.document_questions import LIKE, AskQuestions, in_manner_of_people
from demur.programs.signatures.other_languages import FIELD, WRITING, with_language
from demur.scoring.standalone.reply_text import EMPTY, REASONING_ALONE

# Digests of requests, by which recorded answers are found.


DIGESTED_FORMAT: Final = "digested_format"
"""The extension of a request with the reply's format of which its digest is made, if that is not the format sent."""

LONGEST_TEXTS: Final = "longest_texts"
"""The extension of a request with the greatest length of texts of the reply, by field."""

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


# Direct calls of a model's engine, without dspy.LM.


class AsyncEngine(Protocol):
    """The type of dspy.LM's asynchronous engines."""

    async def complete(self, request: Request) -> Response:
        """Return the response to one request."""


@dataclass(frozen=True, slots=True)
class Direct:
    """A model's engine, called without dspy.LM.

    dspy.LM would take half of a request's CPU time, for thread switches and for checks.

    With callbacks, history, usage tracking or streams, requests go through dspy.LM.
    """

    lm: dspy.LM
    engine: AsyncEngine

    def serves(self, lm: dspy.LM) -> bool:
        """Return whether this is the engine of `lm`, and DSPy's calls are not observed."""
        seen = dspy.settings
        return (
            lm is self.lm
            and not lm.callbacks
            and not seen.callbacks
            and bool(seen.disable_history)
            and seen.usage_tracker is None
            and seen.send_stream is None
        )


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn errors inside the block into errors of demur.

    Raises:
        ProgramError, OSError: the engine raised this error.
        LaneError: the engine raised any other error.
    """
    try:
        yield
    except (ProgramError, OSError):
        raise
    except LMError as exc:
        if isinstance(exc.__cause__, (ProgramError, OSError)):
            raise exc.__cause__ from None
        raise LaneError(str(exc), kind=ErrorKind.UNEXPECTED) from exc
    except Exception as exc:
        raise LaneError(f"{type(exc).__name__}: {exc}", kind=ErrorKind.UNEXPECTED) from exc


# The adapter between DSPy signatures and models: constant instructions, then the inputs as one JSON object.
#
# All text from corpora and models is a JSON string inside that object, so instructions, field markers and lever names
# in it stay data. The rules lane and the simulator read the same object back into the signature's types.


ADAPTER_VERSION: Final = "2"
REPAIRS: Final = 1
"""The number of corrections that a model is asked for before the unit fails."""
EMPTY_REPLY: Final = "(empty)"
"""Stands for an empty reply in a request for a correction."""
_SHARED: Final = "shared_inputs"

_SAYS_LANGUAGE: Final = re.compile(rf',"{FIELD}":"[^"\\]+"\}}\Z')
"""The last field of inputs with a language. Inside of a text its quotation marks would be escaped."""
_SAYS_MANNER: Final = f',"{LIKE}":['
"""The beginning of the field with questions of people. Inside of a text its quotation marks would be escaped."""

Turn = tuple[str, str]
"""A role (user or assistant) and its text."""


class JsonAdapter(dspy.Adapter):  # type: ignore[misc]
    """Renders a signature as constant instructions and one JSON object, and reads one JSON object back.

    Parameters such as temperature are in the model's spec, so DSPy's `lm_kwargs` are not sent. With `direct`, requests
    go straight to the model's engine unless DSPy's calls are observed.
    """

    def __init__(self, direct: Direct | None = None) -> None:
        super().__init__()
        self._direct = direct

    def format(
        self, signature: type[dspy.Signature], demos: Sequence[Mapping[str, Any]], inputs: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """Return the chat messages: instructions, complete demonstrations, inputs.

        Raises:
            ProgramError: a value is missing, has the wrong type, or is text that cannot be sent.
        """
        codec = contract(signature)
        known = {key: inputs[key] for key in signature.input_fields if key in inputs}
        turns = [*_shown(signature, codec, demos), ("user", codec.write_inputs(known))]
        return [{"role": role, "content": text} for role, text in (("system", codec.system), *turns)]

    def parse(self, signature: type[dspy.Signature], completion: str) -> Fields:
        """Return the typed output fields.

        Raises:
            ReplyError: the reply is empty, not JSON, or lacks fields of the signature.
        """
        return contract(signature).read_reply(completion)

    def is_direct(self, lm: dspy.LM) -> bool:
        """Return whether requests to a model go straight to its engine."""
        return self._direct is not None and self._direct.serves(lm)

    async def _respond(self, lm: dspy.LM, request: Request) -> Response:
        with engine_errors():
            if self._direct is not None and self._direct.serves(lm):
                return await self._direct.engine.complete(request)
            response: Response = await lm.acall(request)
            return response

    async def acall(
        self,
        lm: dspy.LM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[Fields]:
        """Ask the model. If the reply cannot be read, ask the model once more, with a description of the error.

        A text that is taken as sent (`Contract.taken_as_sent`) is asked for once.

        Raises:
            ReplyError: neither reply could be read.
        """
        dialogue = self._dialogue(lm.model, signature, demos, inputs)
        request = next(dialogue)
        while True:
            response = await self._respond(lm, request)
            try:
                request = dialogue.send(response)
            except StopIteration as done:
                return [cast("Fields", done.value)]

    def __call__(
        self,
        lm: dspy.LM,
        lm_kwargs: dict[str, Any],
        signature: type[dspy.Signature],
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[Fields]:
        """Ask like `acall`, but without an event loop. DSPy's optimisers call this method."""
        dialogue = self._dialogue(lm.model, signature, demos, inputs)
        request = next(dialogue)
        while True:
            try:
                request = dialogue.send(lm(request))
            except StopIteration as done:
                return [cast("Fields", done.value)]

    def _dialogue(
        self, model: str, signature: type[dspy.Signature], demos: Sequence[Mapping[str, Any]], inputs: Mapping[str, Any]
    ) -> Generator[Request, Response, Fields]:
        codec = contract(signature)
        messages = self.format(signature, demos, inputs)
        choices = codec.choices(inputs)
        config = _config(signature, codec, messages, choices)
        turns = [_message(message["role"], message["content"]) for message in messages[1:]]
        repairs = 0 if codec.taken_as_sent else REPAIRS
        for repair in range(repairs + 1):
            response = yield Request(model=model, system=codec.system, messages=tuple(turns), config=config)
            text = response.message.text or ""
            record_logprobs(response, text)
            cut = response.finish_reason == "length"
            if cut:
                note_cut()
            try:
                fields = _read(codec, text, choices, cut=cut)
                note_reply(None)
                return fields
            except ReplyError as exc:
                sent = last_reply()
                if exc.problem == EMPTY and sent is not None and sent.reasoning and not sent.text.strip():
                    exc = ReplyError(REASONING_ALONE, reply=text)  # the server sends reasoning in a field of its own
                note_reply(exc.problem)
                if repair == repairs:
                    raise exc
                turns += [_message("assistant", text.strip() or EMPTY_REPLY), _message("user", _correction(exc))]
        raise AssertionError("the last repair returns or raises")


def shared_inputs(request: Request) -> tuple[int, int] | None:
    """Return the index of the message whose beginning other requests share, and the length of this beginning.

    The length is in characters. None if no shared beginning is known.
    """
    shared = (request.config.extensions or {}).get(_SHARED)
    return None if shared is None else cast("tuple[int, int]", tuple(shared))


def _config(
    signature: type[dspy.Signature], codec: Contract, messages: Sequence[Mapping[str, Any]], choices: tuple[str, ...]
) -> Config:
    capture = current_capture()
    shared = 0
    if codec.own_from is not None:
        shared = messages[-1]["content"].find(codec.own_from) + 1
    if capture is not None and codec.plain_text is None:
        raise ProgramError(f"{codec.task} replies in JSON, whose first token says nothing: reply with a text instead")
    alternatives = capture.alternatives if capture else None
    return _wanted(cast("Hashable", signature), len(messages) - 2, shared, choices, alternatives)


@lru_cache(maxsize=4096)
def _wanted(signature: Any, message: int, shared: int, choices: tuple[str, ...], logprobs: int | None) -> Config:
    """Return a configuration from the cache, since DSPy checks all fields of a new object."""
    notes: dict[str, Any] = {_SHARED: [message, shared]} if shared else {}
    wanted = wanted_format(signature, choices) if logprobs is None else None
    if wanted is None:
        return Config(response_format=None, extensions=notes or None, logprobs=logprobs)
    notes |= {DIGESTED_FORMAT: wanted.digested, LONGEST_TEXTS: wanted.longest}
    return Config(response_format=wanted.sent, extensions=notes)


def _read(codec: Contract, text: str, choices: tuple[str, ...], *, cut: bool) -> Fields:
    """Return the typed outputs of a reply; `cut` is true if the reply reached the token limit.

    A cut reply is accepted if it has a complete JSON object, or if it is a text that is taken as sent.
    """
    if not cut or codec.taken_as_sent:
        return codec.read_reply(text, choices)
    problem = "the reply was cut off at the limit of tokens (max_tokens)"
    if codec.plain_text:
        raise ReplyError(problem, reply=text)
    try:
        return codec.read_reply(text, choices)
    except ReplyError as exc:
        raise ReplyError(f"{problem}: {exc.problem}", reply=text) from exc


def _shown(signature: type[dspy.Signature], codec: Contract, demos: Sequence[Mapping[str, Any]]) -> list[Turn]:
    turns: list[Turn] = []
    for demo in demos:
        if all(key in demo for key in signature.fields):
            turns.append(("user", codec.write_inputs({key: demo[key] for key in signature.input_fields})))
            turns.append(("assistant", codec.write_reply({key: demo[key] for key in signature.output_fields})))
    return turns


def _message(role: str, text: str) -> Message:
    return Message.user(text) if role == "user" else Message.assistant(text)


def _correction(error: ReplyError) -> str:
    """Return the turn that asks for a correction.

    The turn is not a JSON object, so the turn cannot be mistaken for inputs.
    """
    return f"That reply could not be used: {error.problem}. Send the whole reply again, mended, and nothing else."


def task_of(system: str) -> str:
    """Return the task's name in a prompt's instructions."""
    return system.partition("\n")[0].removeprefix(TASK_PREFIX)


def read_request(request: Request, signatures: Mapping[str, type[dspy.Signature]]) -> tuple[str, Fields]:
    """Return the task's name and the typed inputs of a request.

    Raises:
        ReplyError: this adapter did not make the request.
    """
    turns = [(message.role, message.text or "") for message in request.messages]
    return read_turns(system_text(request), turns, signatures)


def read_turns(
    system: str, turns: Sequence[Turn], signatures: Mapping[str, type[dspy.Signature]]
) -> tuple[str, Fields]:
    """Return the task's name and the typed inputs, from instructions and turns.

    Raises:
        ReplyError: this adapter did not make the instructions and turns.
    """
    task = task_of(system)
    if task not in signatures:
        raise ReplyError(f"task {task[:80]!r} is not one of {', '.join(sorted(signatures))}", reply=system)
    objects = [text for role, text in turns if role == "user" and text.startswith("{")]
    if not objects:
        raise ReplyError(f"no turn holds the inputs of {task}", reply="\n".join(text for _, text in turns))
    signature = signatures[task]
    if task in WRITING and _SAYS_LANGUAGE.search(objects[-1]):
        signature = with_language(signature, task)
    if issubclass(signature, AskQuestions) and _SAYS_MANNER in objects[-1]:
        signature = in_manner_of_people(signature)
    return task, contract(signature).read_inputs(objects[-1])


def fingerprint(module: dspy.Module) -> str:
    """Return the hash of a program's prompts: adapter, instructions, fields, demonstrations, formats."""
    parts: list[object] = [ADAPTER_VERSION]
    for name, predictor in sorted(module.named_predictors()):
        codec = contract(predictor.signature)
        shown = _shown(predictor.signature, codec, predictor.demos)
        parts.append((name, codec.system, codec.response_format and codec.response_format.digested, shown))
    return digest_of(*parts)[:16]
