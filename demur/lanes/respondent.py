"""The lane of respondents from other packages: functions that answer a question from passages.

A respondent is any callable `(question, passages) -> text`, sync or async. It may return an object with an attribute
`text` in place of the text. The entry point group is `demur.respondents`.
"""

import asyncio
import inspect
from collections.abc import Sequence
from typing import Protocol, cast

from dspy.lm15 import Request

from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, no_logprobs
from demur.plugins import PluginKind, required
from demur.programs.adapter.json_adapter import read_request
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.programs.journal import Reply
from demur.programs.signatures.registry import SIGNATURES


class RespondentFunction(Protocol):
    """Answers a question from passages, which come in their order."""

    def __call__(self, question: str, passages: Sequence[str]) -> object:
        """Return the response, an object whose `text` it is, or an awaitable of either."""


class RespondentTransport:
    """Asks the respondent that the model's name names."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        self._spec = spec
        self._respondent = cast(
            "RespondentFunction", required(PluginKind.RESPONDENT, spec.model).load(callable, "a function")
        )

    async def ask(self, request: Request) -> Reply:
        """Return what the respondent says.

        Raises:
            LaneError: it raises, or returns no text.
        """
        if request.config.logprobs is not None:
            raise no_logprobs(self._spec)
        try:
            _, inputs = read_request(request, SIGNATURES)
        except ProgramError as exc:
            raise LaneError(str(exc), kind=ErrorKind.REQUEST) from exc
        passages = [passage.text for passage in inputs["passages"]]
        try:
            said = await asyncio.to_thread(self._respondent, inputs["question"], passages)
            if inspect.isawaitable(said):
                said = await said
        except Exception as exc:
            what = f"respondent '{self._spec.model}' raised {type(exc).__name__}: {exc}"
            raise LaneError(what, kind=ErrorKind.REQUEST) from exc
        text = said if isinstance(said, str) else getattr(said, "text", None)
        if not isinstance(text, str):
            kind = type(said).__name__
            raise LaneError(
                f"respondent '{self._spec.model}' returned {kind}, which has no text", kind=ErrorKind.PROTOCOL
            )
        return Reply(text=text)

    async def aclose(self) -> None:
        """Nothing to close."""
