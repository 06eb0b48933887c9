"""One batch from its submission, or from where an earlier run left it, to its results."""

import asyncio
import logging
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field

from demur.programs.errors import Halted, LaneError
from demur.programs.lanes.batch import submission
from demur.programs.lanes.batch.collection import Collected, collect
from demur.programs.lanes.batch.desk import AskAgain, Waiting, copy_of
from demur.programs.lanes.batch.gateway import BatchRequest
from demur.programs.lanes.batch.requests import split_id
from demur.programs.lanes.batch.tracked import TrackedBatch

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Errand:
    """Brings the results of one batch to those who wait for them; `waiting` has them by the ids of their requests."""

    batch: TrackedBatch
    requests: Sequence[BatchRequest] = ()
    """What is to be sent; empty for a batch of an earlier run."""
    waiting: dict[str, Waiting] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    async def run(self) -> None:
        """Send or find the batch, wait for its end, and settle everybody who waits; raises nothing."""
        try:
            if self.requests:
                await submission.send(self.batch, self.requests)
                self.requests = ()
            else:
                await submission.take_up(self.batch)
            await self._hand_out(await collect(self.batch, self._began))
        except (AskAgain, Halted, LaneError) as exc:
            self._give_up(exc)
        except OSError as exc:
            self._give_up(self.batch.halted(f"cannot be written down: {exc}"))
        except Exception as exc:  # a fault of ours must neither leave units waiting for ever nor lose what they bought
            _log.error("%s", self.batch.desk.mask.error("".join(traceback.format_exception(exc))))
            self._give_up(self.batch.halted(f"met a fault of demur's own ({type(exc).__name__}: {exc})"))

    def _give_up(self, why: Exception) -> None:
        self.batch.desk.register.settle(self.batch.record.batch_id)
        for answer in self.waiting.values():
            if not answer.done():
                answer.set_exception(copy_of(why))
        self.waiting.clear()

    async def _hand_out(self, collected: Collected) -> None:
        """Give everybody their result; answers that nobody waits for yet stay to be asked for."""
        batch_id, register = self.batch.record.batch_id, self.batch.desk.register
        register.settle(batch_id)
        for number, (place, result) in enumerate(collected.results):
            answer = self.waiting.pop(result.request_id, None)
            if answer is not None and not answer.done():
                answer.set_result((batch_id, result))
            elif answer is None and result.answered:
                register.answers[split_id(result.request_id)[0]] = place
            if number % 100 == 99:
                await asyncio.sleep(0)
        self._give_up(collected.lacking)
