"""Prompts of calls, read from archived journals."""

import gzip
import json
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """The prompt of a call: instructions, turns as (role, text), and the required JSON shape of the reply, if any."""

    system: str
    turns: tuple[tuple[str, str], ...]
    wanted: str | None


def sent_prompts(
    home: Home, round_id: str, stage: str, journal: str, call_ids: Collection[str]
) -> dict[str, SentPrompt]:
    """Return the prompts of calls, by call id, from the archived journal `journal`.

    Raises:
        WarehouseError: the archive lacks the journal, or the journal cannot be read.
        StoreError: the home's store does not answer.
    """
    path = home.archived_journal(round_id, stage, journal)
    packed = _archived(home, path)
    if packed is None:
        raise WarehouseError(f"the journal of these prompts is not in the archive: {path}")
    try:
        return _sent(packed, [call_id.encode() for call_id in call_ids])
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as exc:
        raise WarehouseError(f"{path}: is damaged ({exc}); restore it from a copy of the home") from exc


def _archived(home: Home, path: Path) -> bytes | None:
    if home.store is not None:
        return home.store.get(home.key(path))
    with disk_explained(path), suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _sent(packed: bytes, wanted: Collection[bytes]) -> dict[str, SentPrompt]:
    """Return the prompts of calls from a compressed journal.

    If several prompts of a journal share a text, one line has the text, and the other lines have its digest only. The
    journal is therefore read twice: first for the digests, then for the texts.
    """
    prompts: dict[str, dict[str, Any]] = {}
    for raw in _lines_with(packed, wanted):
        if (call := json.loads(raw)).get("prompt") is not None:
            prompts[call["call_id"]] = call["prompt"]
    digests = {digest for prompt in prompts.values() for digest in _digests(prompt)}
    texts: dict[str, str] = {}
    for raw in _lines_with(packed, [f'"{digest}":'.encode() for digest in digests]):
        held = (json.loads(raw).get("prompt") or {}).get("texts", {})
        texts |= {digest: held[digest] for digest in digests & held.keys()}
    return {
        call_id: SentPrompt(
            texts[prompt["system"]],
            tuple((role, texts[digest]) for role, digest in prompt["turns"]),
            None if prompt["wanted"] is None else texts[prompt["wanted"]],
        )
        for call_id, prompt in prompts.items()
    }


def _digests(prompt: Mapping[str, Any]) -> Iterator[str]:
    yield from filter(None, (prompt["system"], prompt["wanted"], *(digest for _, digest in prompt["turns"])))


def _lines_with(packed: bytes, parts: Collection[bytes]) -> Iterator[bytes]:
    """Yield the complete lines of a journal that contain one of `parts`."""
    with gzip.open(BytesIO(packed)) as lines:
        for raw in lines:
            if raw.endswith(b"\n") and any(part in raw for part in parts):
                yield raw
