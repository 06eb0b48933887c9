"""The interface of lanes. A lane turns one request into one reply or LaneError; `answers` reads replies of servers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from pydantic import JsonValue

from demur.lanes.spec import ModelSpec
from demur.levers.catalogue import Catalogue
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError

if TYPE_CHECKING:
    from dspy.lm15 import Request

    from demur.rules.rivals import Corpus


@dataclass(frozen=True, slots=True)
class Access:
    """What a lane needs besides the spec: key and headers; in the rules lane, the catalogue and the corpus."""

    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    catalogue: Catalogue | None = None
    corpus: "Corpus | None" = None


class Transport(Protocol):
    """Sends requests once. Retries, stored calls and limits belong to the caller."""

    async def ask(self, request: "Request") -> Reply:
        """Return the reply.

        Raises:
            LaneError: no usable reply came.
        """

    async def aclose(self) -> None:
        """Close connections. Lanes without connections inherit this empty method."""


class Indexing(Transport, Protocol):
    """The transport of a system that may find passages itself."""

    async def index(self, passages: Sequence[Mapping[str, JsonValue]]) -> None:
        """Hand all passages over.

        Raises:
            ProgramError: the system does not accept them.
        """


@runtime_checkable
class Prepaying(Protocol):
    """A transport that finds requests of earlier runs."""

    async def prepaid(self, request: "Request") -> bool:
        """Return whether an earlier run sent the request, which then need not be paid now."""


@runtime_checkable
class Holding(Protocol):
    """A transport that can answer only some requests."""

    def holds(self, request: "Request") -> bool:
        """Return whether the transport can answer `request`, if the current unit sends it next."""


def no_logprobs(spec: ModelSpec) -> LaneError:
    """Return the error of a lane without log-probabilities."""
    return LaneError(
        f"model '{spec.name}' ({spec.provider} {spec.model}) gives no log-probabilities: use a model of provider "
        "openai, or a server that speaks its interface, or ask for the probability in words",
        kind=ErrorKind.REQUEST,
    )


TOOL_WORDS: Final = "Send the reply: its fields are this tool's input."
