"""The index of a release: all its passages, for systems that find passages themselves.

Each process sends the index to each system once. The index has the original and the perturbed version of a passage,
which contradict each other. The answer to an item may therefore use only the passages of this item, and the original
passages that do not give away what the item's own original passages say.
"""

import asyncio
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final

from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext
from demur.flows.stages.responses.release_items import ReleasedItem, released_items
from demur.lanes.spec import ModelSpec
from demur.text.matching import Original, distinct_texts

_lock: Final = threading.Lock()
_handed: Final[dict[tuple[str, str], Future[None]]] = {}


def index_of(context: RoundContext) -> list[dict[str, Any]]:
    """Return every passage of a release, with the fields that say for which items a system may use the passage.

    The fields are `original`, `bases` (ids of base instances) and `item` (the id of the item; None if the passage is
    original). For an item, a system may use the passages with the item's id, and the original passages whose `bases`
    lack the item's base instance.

    Each original text is one passage, with all base instances that it would give away: those that have the text as a
    passage, and those of which it is a near copy or has the sentence of the answer. The id of a passage is
    OWNER:NUMBER; OWNER is the id of its item or, if it is original, of the first base instance that has it, and numbers
    begin with 0.
    """
    assert context.release is not None
    items = list(released_items(context.release))
    found: list[dict[str, Any]] = []
    for text in distinct_texts(_originals(items)):
        first = text.originals[0]
        found.append(
            {
                "id": f"{first.base_id}:{first.place}",
                "text": first.text,
                "bases": sorted(text.bases),
                "original": True,
                "item": None,
            }
        )
    for item in items:
        for place, own in enumerate(item.grounding):
            passage = {"text": own, "bases": [item.base_id], "original": False, "item": item.id}
            found.append({"id": f"{item.id}:{place}", **passage})
    return found


def _originals(items: Iterable[ReleasedItem]) -> Iterator[Original]:
    for item in {item.base_id: item for item in items}.values():
        for place, text in enumerate(item.original_grounding):
            yield Original(item.base_id, place, text, item.original_answers if place in item.signal_indices else ())


def given_away(bases: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the base instances of which an original passage of another base instance gives away what they say.

    Before originals had `bases`, systems saw such passages beside the items of these base instances.

    Args:
        bases: rows of base instances with `base_id`, `answers` and `passages`.
    """
    originals = (
        Original(row["base_id"], one["index"], one["text"], tuple(row["answers"]) if one["relevant"] else ())
        for row in bases
        for one in row["passages"]
    )
    return {base for text in distinct_texts(originals) for base in text.bases if text.owners - {base}}


async def hand_over(context: RoundContext, specs: Sequence[ModelSpec]) -> None:
    """Send all passages of the release to each system that has not yet got them from this process.

    If another shard is sending the passages to a system, wait for its end.

    Raises:
        ProgramError: a system refuses the passages.
    """
    from demur.lanes.engine import open_system  # DSPy; boards need only the texts of an index

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
