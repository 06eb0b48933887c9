"""What all batches of one model in one stage share, and how those who wait for them hear of it."""

import asyncio
import random
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from demur.programs.errors import LaneError
from demur.programs.lanes.batch.book import BatchBook
from demur.programs.lanes.batch.gateway import BatchResult, Gateway
from demur.programs.lanes.batch.requests import Register
from demur.programs.lanes.masking import Mask
from demur.programs.lanes.spec import ModelSpec

LONGEST_BACKOFF_SECONDS: Final = 30.0

Waiting = asyncio.Future[tuple[str, BatchResult]]
"""Waits for the batch of a request, by our id, and its result."""


class AskAgain(Exception):
    """The provider never had the batch: its requests are free to be sent again."""


@dataclass(slots=True)
class Desk:
    """What all batches of one model in one stage are handled with."""

    spec: ModelSpec
    gateway: Gateway
    book: BatchBook
    register: Register
    mask: Mask

    async def forfeit(self, request_ids: Collection[str]) -> None:
        """Note that nothing comes of requests that may have been paid for."""
        await asyncio.to_thread(self.book.forfeit, request_ids)
        self.register.forfeit(request_ids)

    def fit_to_keep(self, line: bytes, result: BatchResult) -> bytes:
        """Return the line of a result without keys, which careless servers repeat."""
        hidden = self.mask.reply if result.answered else self.mask.error
        return hidden(line.decode()).encode()


def backoff_seconds(error: LaneError, attempt: int) -> float:
    """Return how long to wait before another try at what a provider did not do."""
    if error.retry_after_seconds is not None:
        return min(error.retry_after_seconds, LONGEST_BACKOFF_SECONDS)
    longest = min(LONGEST_BACKOFF_SECONDS, 0.5 * 2.0 ** (attempt - 1))
    return random.uniform(longest / 2, longest)


def copy_of(error: Exception) -> Exception:
    """Return an error like this one: every waiter gets its own, for what is raised twice grows."""
    if isinstance(error, LaneError):
        return LaneError(
            str(error),
            kind=error.kind,
            retryable=error.retryable,
            retry_after_seconds=error.retry_after_seconds,
            may_be_billed=error.may_be_billed,
        )
    return type(error)(*error.args)
