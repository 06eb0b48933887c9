"""Functions that make recordings. Requests come from the plans of stages, and replies from the table `calls`."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Final

from demur.engine.recordings import ReplyKey
from demur.errors import FlowError
from demur.flows.stages.registry import STAGES
from demur.programs.call_scope import read_logprobs
from demur.programs.recording import (
    REQUEST_DIGITS,
    UNIT_DIGITS,
    Dialogue,
    Entry,
    Place,
    Recorded,
    Speaker,
    read_recording,
    write_recording,
)
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.round_rows import chosen_round
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

WAIT_SECONDS: Final = 60.0
"""Longest wait for the loader's file while another process has it open."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written to a recording.

    Attributes:
        speakers: The models with replies in the recording.
        entries: The number of entries.
        replaced: How often an entry replaced another entry of the same request with different replies.
    """

    speakers: tuple[Speaker, ...]
    entries: int
    replaced: int


def record_rounds(
    home: Home,
    round_ids: Sequence[str],
    out: Path,
    *,
    beside: Sequence[Path] = (),
    answered_by: str | None = None,
    note: str | None = None,
) -> Written:
    """Write a recording with the replies of the models in some rounds, and with the entries of other recordings.

    If several rounds or recordings answer the same request, one answer is written: that of the last round in
    `round_ids`, or else that of the last recording in `beside`.

    Args:
        home: The home of the rounds.
        round_ids: The rounds.
        out: The recording to write.
        beside: Other recordings whose entries are included.
        answered_by: A text on who answered, written to each model of the rounds.
        note: A note, written to each model of the rounds.

    Raises:
        FlowError: a round does not exist, or no language model has answered in it.
        ProgramError: a recording cannot be read or written.
    """
    entries: dict[Place, Entry] = {}
    speakers: dict[str, Speaker] = {}
    replaced = 0
    for made, asked in chain(_of_files(beside), _of_rounds(home, round_ids, answered_by, note)):
        replaced += sum(1 for place, entry in made.items() if entries.get(place, entry) != entry)
        entries |= made
        _add(speakers, asked)
    replies = Counter({entry.model: 0 for entry in entries.values()})
    for entry in entries.values():
        replies[entry.model] += sum(map(len, entry.dialogues))
    heard = tuple(speakers[name].model_copy(update={"replies": number}) for name, number in sorted(replies.items()))
    write_recording(out, heard, entries.values())
    return Written(heard, len(entries), replaced)


def _add(speakers: dict[str, Speaker], more: Iterable[Speaker]) -> None:
    """Add models to `speakers`. If a name is there already, merge both entries."""
    for one in more:
        there = speakers.get(one.name)
        speakers[one.name] = one if there is None else there.merged(one)


def _of_files(paths: Iterable[Path]) -> Iterator[tuple[dict[Place, Entry], Iterable[Speaker]]]:
    for recording in map(read_recording, paths):
        yield recording.entries, recording.speakers.values()


def _of_rounds(
    home: Home, round_ids: Iterable[str], answered_by: str | None, note: str | None
) -> Iterator[tuple[dict[Place, Entry], Iterable[Speaker]]]:
    for round_id in round_ids:
        with reading(home, "loader", wait_seconds=WAIT_SECONDS) as con:
            made, asked = _of_round(con, home, round_id)
        yield made, [one.model_copy(update={"answered_by": answered_by, "note": note}) for one in asked]


def _of_round(con: Connection, home: Home, round_id: str) -> tuple[dict[Place, Entry], list[Speaker]]:
    chosen_round(con, round_id)
    entries: dict[Place, Entry] = {}
    calls: list[Mapping[str, Any]] = []
    for key in (stage.use.reply_key for stage in STAGES if stage.use is not None):
        plan = home.plan(round_id, key.stage)
        if plan.is_file():
            rows = list(records(con, "recorded_calls", [str(plan), key.stage, round_id]))
            calls += rows
            entries |= {entry.place: entry for entry in _distinct(_entries(key, rows))}
    if not entries:
        raise FlowError(
            f"round '{round_id}': no language model has answered in this round, so there is nothing to record"
        )
    return entries, list(_speakers(calls))


def _distinct(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Merge entries of different units that have the same request and the same replies, and yield all entries.

    A merged entry has no unit id. If units with the same request have different replies, each unit's entry is yielded
    unchanged.
    """
    alike: dict[tuple[object, ...], list[Entry]] = {}
    for entry in entries:
        alike.setdefault(entry.place[:-1], []).append(entry)
    for same in alike.values():
        if all(_texts(entry) == _texts(same[0]) for entry in same):
            yield same[0].model_copy(update={"unit": ""})
        else:
            yield from same


def _texts(entry: Entry) -> list[list[str]]:
    return [[reply.text for reply in dialogue] for dialogue in entry.dialogues]


def _entries(key: ReplyKey, calls: Iterable[Mapping[str, Any]]) -> Iterator[Entry]:
    for unit_id, of_unit in groupby(calls, key=lambda call: call["unit_id"]):
        rows = list(of_unit)
        what = key.decided(json.loads(rows[0]["payload"]))
        for (model, task, part), group in _by_request(rows).items():
            yield Entry(
                stage=key.stage,
                model=model,
                task=task,
                key=what.key,
                drawn=what.drawn,
                part=part,
                unit=unit_id[:UNIT_DIGITS],
                dialogues=tuple(_dialogues(group)),
            )


def _by_request(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str, str], list[Mapping[str, Any]]]:
    """Return the calls of a unit. A key is (model, task, proposition); the proposition is "" for most tasks.

    The proposition of a call is read from the grade that the call produced. A call with an unusable reply produced no
    grade; its proposition is that of the following call.
    """
    found: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    part = ""
    for row in reversed(rows):
        part = row["proposition"] or (part if row["task"] == "AskProposition" else "")
        found.setdefault((row["model"], row["task"], part), []).insert(0, row)
    return found


def _dialogues(calls: Sequence[Mapping[str, Any]]) -> Iterator[Dialogue]:
    """Yield the dialogues of one task.

    A dialogue is a request, its reply, and the requests to correct the reply. Whenever the first request of the task is
    sent again, a new dialogue begins.
    """
    held: list[Recorded] = []
    for call in calls:
        if held and call["request_digest"] == calls[0]["request_digest"]:
            yield tuple(held)
            held = []
        held.append(
            Recorded(
                text=call["reply"],
                request=call["request_digest"][:REQUEST_DIGITS],
                finish=call["finish_reason"] or "stop",
                input=call["input_tokens"],
                output=call["output_tokens"],
                cached=call["cached_tokens"],
                reasoning=call["reasoning_tokens"],
                logprobs=read_logprobs(call["logprobs"]),
                thought=call["reasoning"],
            )
        )
    yield tuple(held)


def _speakers(calls: Sequence[Mapping[str, Any]]) -> Iterator[Speaker]:
    for name in sorted({call["model"] for call in calls}):
        own = [call for call in calls if call["model"] == name]
        days = [call["started_at"].date() for call in own]
        yield Speaker(
            name=name,
            roles=tuple(sorted({call["role"] for call in own})),
            asked=tuple(sorted({_without_folder(call["provider_model"]) for call in own})),
            first=min(days),
            last=max(days),
            replies=len(own),
        )


def _without_folder(model: str) -> str:
    """Return the name of a model; of a model that is a file, the name without folders, which others need not know."""
    path = Path(model)
    return path.name if path.is_absolute() or path.suffix == ".gguf" or model.startswith("~") else model
