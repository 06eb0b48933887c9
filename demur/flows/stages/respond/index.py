"""The index of systems that find passages themselves: all passages of a release, sent once in each process.

The original and the perturbed version of a passage contradict each other. So each item has its own view: its own
passages, and the original passages of other base instances.
"""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Final

from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext
from demur.flows.stages.unpack.items import released_items
from demur.lanes.engine import open_system
from demur.lanes.spec import ModelSpec

_lock: Final = threading.Lock()
_handed: Final[dict[tuple[str, str], Future[None]]] = {}


def index_of(context: RoundContext) -> list[dict[str, Any]]:
    """Return every passage of a release, with the fields that decide which items see the passage.

    Each passage has the fields `item` (None for original passages), `base` and `original`. An item sees passages whose
    `item` is its id, and original passages whose `base` is not its base instance. The id of a passage is the id of its
    item or base instance, and the number of the passage from 0.
    """
    assert context.release is not None
    found: dict[str, dict[str, Any]] = {}
    for item in released_items(context.release):
        for original, owner, texts in ((True, item.base_id, item.original_grounding), (False, item.id, item.grounding)):
            for place, text in enumerate(texts):
                passage: dict[str, Any] = {
                    "id": f"{owner}:{place}",
                    "text": text,
                    "base": item.base_id,
                    "original": original,
                }
                found[passage["id"]] = {**passage, "item": None if original else item.id}
    return list(found.values())


async def hand_over(context: RoundContext, specs: Sequence[ModelSpec]) -> None:
    """Send all passages of the release to systems, to each system once in this process. Other shards wait meanwhile.

    Raises:
        ProgramError: a system refuses the passages.
    """
    assert context.release is not None
    for spec in specs:
        key = spec.fingerprint, context.release.digest
        with _lock:
            first = key not in _handed
            done = _handed.setdefault(key, Future())
        if not first:
            await asyncio.wrap_future(done)
            continue
        try:
            async with open_system(spec, keys_of([spec])) as system:
                await system.index(index_of(context))
        except BaseException as exc:
            with _lock:
                del _handed[key]
            done.set_exception(exc if isinstance(exc, Exception) else RuntimeError("the hand-over was interrupted"))
            raise
        done.set_result(None)
