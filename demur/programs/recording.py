"""Recordings: files with replies of language models.

A reply is looked up by the inputs that decided it. The wording of the prompt is not among these inputs. A file is
compressed JSON Lines: a header with the models, then the sorted entries, one per line. A file contains no addresses,
keys or prompts.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeVar

from pydantic import BaseModel, Field, ValidationError

from demur.levers.durable import replace_durably
from demur.levers.explain import first_fault
from demur.levers.instances import Frozen
from demur.programs.call_scope import Reply
from demur.programs.errors import ProgramError

SUFFIX: Final = ".jsonl.gz"
REQUEST_DIGITS: Final = 12
"""Digits of a request's digest that an entry keeps."""
_Line = TypeVar("_Line", bound=BaseModel)


class Recorded(Frozen):
    """One reply. `request` is the beginning of the request's digest, and shows whether the prompt has changed since.

    `reasoning` is the number of tokens of the reasoning, and `thought` is its text.
    """

    text: str
    request: str = Field(min_length=REQUEST_DIGITS, max_length=REQUEST_DIGITS)
    finish: str = "stop"
    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None
    thought: str | None = None
    logprobs: tuple[tuple[str, float], ...] | None = None

    @property
    def reply(self) -> Reply:
        """The reply as a lane returns it."""
        counts = self.input, self.output, self.cached, self.reasoning
        return Reply(self.text, self.finish, *counts, logprobs=self.logprobs, reasoning=self.thought)


Dialogue = tuple[Recorded, ...]
"""The reply to a request, and the replies to corrections of it."""


Place = tuple[str, str, str, str, tuple[str, ...], str, str]
"""The key of an entry: stage, model, task, key, drawn values, part, unit."""
UNIT_DIGITS: Final = 12


class Entry(Frozen):
    """A model's replies to one task of one unit of work.

    `key` is the hash of the inputs that decided the replies. `drawn` are the values that the round drew for the unit
    (levers, faults). `part` tells one question from another if the task has several questions. `dialogues` are in the
    order of time. `unit` is the first part of the unit's id, if another unit has the same values in all fields above
    but other replies. Otherwise `unit` is empty.
    """

    stage: str
    model: str
    task: str
    key: str = Field(pattern=r"^[0-9a-f]{16}$")
    drawn: tuple[str, ...] = ()
    part: str = ""
    unit: str = Field(default="", max_length=UNIT_DIGITS)
    dialogues: tuple[Dialogue, ...]

    @property
    def place(self) -> Place:
        """The fields by which the entry is found."""
        return self.stage, self.model, self.task, self.key, self.drawn, self.part, self.unit


class Speaker(Frozen):
    """A recorded model: name, roles, the models that replied under this name, and the dates of the replies."""

    name: str
    roles: tuple[str, ...]
    asked: tuple[str, ...] = Field(description="what its provider was asked for")
    answered_by: str | None = Field(default=None, description="who answered in truth, where that was another")
    note: str | None = None
    first: date
    last: date
    replies: int = Field(ge=1)

    def merged(self, other: Self) -> Self:
        """Return this model merged with another model of the same name.

        The number of replies is not added: the result has the number of this model.
        """
        said = (self.answered_by, other.answered_by), (self.note, other.note)
        answered_by, note = ("; ".join(dict.fromkeys(text for text in texts if text)) or None for texts in said)
        return self.model_copy(
            update={
                "roles": tuple(sorted({*self.roles, *other.roles})),
                "asked": tuple(sorted({*self.asked, *other.asked})),
                "answered_by": answered_by,
                "note": note,
                "first": min(self.first, other.first),
                "last": max(self.last, other.last),
            }
        )


class Header(Frozen):
    """The first line of a file."""

    recording: Literal[1]
    speakers: tuple[Speaker, ...]


@dataclass(frozen=True)
class Recording:
    """All replies of a file, with look-ups."""

    path: Path
    speakers: dict[str, Speaker]
    entries: dict[Place, Entry]
    _drawn: dict[tuple[str, str, str], list[tuple[str, ...]]] = field(default_factory=dict)
    _alike: dict[tuple[object, ...], list[Entry]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in self.entries.values():
            drawn = self._drawn.setdefault((entry.stage, entry.model, entry.key), [])
            if entry.drawn not in drawn:
                drawn.append(entry.drawn)
            self._alike.setdefault(entry.place[:-1], []).append(entry)

    def dialogues(
        self, stage: str, model: str, task: str, key: str, drawn: tuple[str, ...], part: str, unit_id: str
    ) -> tuple[Dialogue, ...]:
        """Return a unit's dialogues; empty if no recorded unit has the same inputs.

        If the unit itself has no dialogues, return the dialogues of the first unit with the same inputs.
        """
        alike = self._alike.get((stage, model, task, key, drawn, part), [])
        own = (entry.dialogues for entry in alike if entry.unit == unit_id[:UNIT_DIGITS])
        return next(own, alike[0].dialogues if alike else ())

    def drawn(self, stage: str, model: str, key: str) -> list[tuple[str, ...]]:
        """Return the drawn values of all entries with equal stage, model and key."""
        return self._drawn.get((stage, model, key), [])

    def speaker(self, name: str) -> Speaker:
        """Return a recorded model.

        Raises:
            ProgramError: the recording has no model of this name.
        """
        if name not in self.speakers:
            raise ProgramError(f"recording {self.path}: has no model '{name}'; it has {', '.join(self.speakers)}")
        return self.speakers[name]


def write_recording(path: Path, speakers: Iterable[Speaker], entries: Iterable[Entry]) -> None:
    """Write a recording. Equal entries give equal bytes.

    Raises:
        ProgramError: the file cannot be written.
    """
    header = Header(recording=1, speakers=tuple(sorted(speakers, key=lambda speaker: speaker.name)))
    lines = [header.model_dump_json(exclude_defaults=True)]
    lines += (entry.model_dump_json(exclude_defaults=True) for entry in sorted(entries, key=lambda one: one.place))
    try:
        replace_durably(path, gzip.compress("".join(f"{line}\n" for line in lines).encode(), compresslevel=9, mtime=0))
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be written ({exc.strerror}). Name a file in an existing folder") from exc


def read_recording(path: Path) -> Recording:
    """Return a recording. While a file is unchanged, a process reads it only once.

    Raises:
        ProgramError: the file is missing, damaged or not a recording.
    """
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as exc:
        raise ProgramError(f"recording {path}: cannot be read ({exc.strerror}). `demur record` writes one") from exc


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int) -> Recording:
    entries: dict[Place, Entry] = {}
    lines = _lines(path)
    header = _typed(path, next(lines, (1, {})), Header)
    speakers = {speaker.name: speaker for speaker in header.speakers}
    for numbered in lines:
        entry = _typed(path, numbered, Entry)
        if entry.place in entries:
            raise _damaged(path, f"line {numbered[0]}: repeats an earlier one")
        if entry.model not in speakers:
            known = ", ".join(sorted(speakers))
            raise _damaged(path, f"line {numbered[0]}: model '{entry.model}' is not one of {known}")
        entries[entry.place] = entry
    return Recording(path, speakers, entries)


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    number = 0
    try:
        for number, line in enumerate(gzip.decompress(path.read_bytes()).splitlines(), start=1):
            yield number, json.loads(line)
    except (EOFError, gzip.BadGzipFile, zlib.error) as exc:
        raise _damaged(path, f"its compression is broken ({exc})") from exc
    except (ValueError, RecursionError) as exc:
        raise _damaged(path, f"line {number}: is not JSON ({exc})") from exc


def _typed(path: Path, numbered: tuple[int, Any], shape: type[_Line]) -> _Line:
    number, line = numbered
    try:
        return shape.model_validate(line)
    except ValidationError as exc:
        raise _damaged(path, f"line {number}: {first_fault(exc)}") from exc


def _damaged(path: Path, why: str) -> ProgramError:
    return ProgramError(f"recording {path}: {why}. Take another copy, or make it again with `demur record`")
