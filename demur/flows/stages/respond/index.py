"""The index of a release: all its passages, for systems that find passages themselves.

Each process sends the index to each system once. The index has the original and the perturbed version of a passage,
which contradict each other. The answer to an item may therefore use only the passages of this item, and the original
passages of other base instances.
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
    """Return every passage of a release, with the fields that say for which items a system may use the passage.

    The fields are `original`, `base` (the id of the base instance) and `item` (the id of the item; None if the passage
    is original). For an item, a system may use the passages with the item's id, and the original passages of other base
    instances. The id of a passage is OWNER:NUMBER; OWNER is the id of its item or, if it is original, of its base
    instance, and numbers begin with 0.
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
    """Send all passages of the release to each system that has not yet got them from this process.

    If another shard is sending the passages to a system, wait for its end.

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
            done.set_exception(
                exc if isinstance(exc, Exception) else RuntimeError("giving the passages to the system was interrupted")
            )
            raise
        done.set_result(None)
