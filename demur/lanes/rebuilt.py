"""Requests made again from what decided them, and answered from the ledger of calls: nothing is sent."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

from dspy.lm15 import Request

from demur.lanes.registry import Lane
from demur.lanes.spec import Mode, ModelSpec
from demur.lanes.transport import Access
from demur.programs.adapter.digests import request_digest
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import KnownReply, Reply


@dataclass(frozen=True, slots=True)
class RebuiltRequest:
    """A request as it is made now, its digest, and the call whose reply it was given; None where none was left."""

    request: Request
    digest: str
    call_id: str | None


@dataclass(slots=True)
class CallLedger:
    """The replies that a unit of work was given, oldest first, and the requests that are made for them."""

    replies: list[KnownReply]
    rebuilt: list[RebuiltRequest] = field(default_factory=list)

    @classmethod
    def of(cls, replies: Iterable[KnownReply]) -> Self:
        """Return a ledger of which no reply was used."""
        return cls([*replies])

    def take(self, request: Request) -> Reply | None:
        """Return the reply to a request, or the oldest that is left where prompts are worded differently now."""
        digest = request_digest(request)
        same = (known for known in self.replies if known.request_digest == digest)
        found = next(same, self.replies[0] if self.replies else None)
        if found is not None:
            self.replies.remove(found)
        self.rebuilt.append(RebuiltRequest(request, digest, found.call_id if found else None))
        return found.reply if found else None


class LedgerModel(ModelSpec):
    """A model in whose place a ledger answers: it needs no key, has no limits and costs nothing."""

    ledger: Any

    @classmethod
    def by(cls, spec: ModelSpec, ledger: CallLedger) -> "LedgerModel":
        """Return a model whose requests are answered from a ledger."""
        given = {name: getattr(spec, name) for name in ModelSpec.model_fields}
        return cls.model_construct(**(given | {"mode": Mode.LIVE, "file": None, "fallback": None, "ledger": ledger}))

    @property
    def lane(self) -> Lane:
        """That of the model, but embedded."""
        opened = f"{LedgerTransport.__module__}:{LedgerTransport.__name__}"
        return replace(super().lane, transport=opened, embedded=True, by_rule=False)

    @property
    def key_variable(self) -> None:
        """No key is needed."""

    @property
    def key_source(self) -> None:
        """No key is needed."""


class LedgerTransport:
    """Notes each request and answers it from the ledger of its model."""

    def __init__(self, spec: LedgerModel, access: Access) -> None:
        self._ledger: CallLedger = spec.ledger

    async def ask(self, request: Request) -> Reply:
        """Return the reply of the ledger.

        Raises:
            LaneError: it has none that is left.
        """
        found = self._ledger.take(request)
        if found is None:
            raise LaneError("the ledger holds no further reply of this unit", kind=ErrorKind.NOT_RECORDED)
        return found

    async def aclose(self) -> None:
        """Nothing to close."""
