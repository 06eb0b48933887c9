"""Gold files: completions whose propositions people have judged, one JSON object per line.

A line has response_type, prompt (turns of role and content), completion (one turn), propositions (name to truth), and
may have category. The texts may be offensive: nothing here writes them anywhere, and messages name lines only.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from demur.engine.context import digest_of
from demur.errors import FlowError
from demur.levers.policies import Policy
from demur.rewards.graders import Subject
from demur.rewards.jsonl import read_lines
from demur.scoring.classes import class_features


class _Turn(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    role: str
    content: str


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    response_type: str
    prompt: tuple[_Turn, ...]
    completion: tuple[_Turn, ...]
    propositions: dict[str, bool]
    category: str | None = None


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One judged completion; `prompt` is the last turn of the conversation, `prompt_id` a hash of all of it."""

    line: int
    prompt_id: str
    turns: tuple[tuple[str, str], ...]
    prompt: str
    completion: str
    behaviour: str
    facts: Mapping[str, bool]
    truth: Mapping[str, bool]
    category: str | None = None


@dataclass(frozen=True, slots=True)
class GoldFile:
    """The rows of a gold file, its checksum, and the propositions that all its rows judge."""

    policy: Policy
    sha256: str
    rows: tuple[GoldRow, ...]
    propositions: tuple[str, ...]

    @property
    def truth(self) -> NDArray[np.bool_]:
        """Whether propositions hold, shape (rows, propositions)."""
        found = [[row.truth[name] for name in self.propositions] for row in self.rows]
        return np.array(found, dtype=np.bool_).reshape(len(self.rows), len(self.propositions))

    @property
    def classes(self) -> list[str]:
        """The class that each row's truths lead to."""
        return [
            self.policy.behaviour(row.behaviour).class_of(row.truth, {**self.policy.default_facts, **row.facts})
            for row in self.rows
        ]

    @property
    def subjects(self) -> list[Subject]:
        """What is graded: every proposition that the file judges."""
        return [Subject(row.behaviour, row.prompt, row.completion, self.propositions) for row in self.rows]

    def rows_of_lines(self) -> Iterator[dict[str, object]]:
        """Yield its rows as rows of `file_lines`."""
        for row in self.rows:
            texts: dict[str, object] = {
                "policy": self.policy.name,
                "behaviour": row.behaviour,
                "propositions": list(self.propositions),
                "prompt": row.prompt,
                "completion": row.completion,
            }
            without = dict.fromkeys(("question", "answers", "passages", "expected"))
            yield {"line": row.line, "subject_id": digest_of("completion", texts), **texts, **without}

    @property
    def prompt_ids(self) -> list[str]:
        """The prompt of each row."""
        return [row.prompt_id for row in self.rows]


def read_gold(path: Path, policy: Policy) -> GoldFile:
    """Return the rows of a gold file; names of propositions are read by the policy's aliases, unknown ones ignored.

    Raises:
        FlowError: the file cannot be read, has no rows, or a row cannot be used; lines are named, texts are not.
    """
    sha256, lines = read_lines(_Line, path, "Give one judged completion per line, as a JSON object")
    rows = tuple(_row(path, number, line, policy) for number, line in lines)
    judged = tuple(p.name for p in policy.propositions if all(p.name in row.truth for row in rows))
    return GoldFile(policy, sha256, rows, judged)


def _row(path: Path, number: int, line: _Line, policy: Policy) -> GoldRow:
    behaviour, facts = _behaviour(path, number, line.response_type, policy)
    names = {name: p.name for p in policy.propositions for name in (p.name, *p.aliases)}
    truth = {names[name]: held for name, held in line.propositions.items() if name in names}
    if absent := [name for name in policy.behaviour(behaviour).features if name not in truth]:
        raise FlowError(
            f"{path}:{number}: propositions lack {', '.join(absent)}, features of behaviour '{behaviour}'. Add them"
        )
    turns = tuple((turn.role, turn.content) for turn in line.prompt)
    if not turns or len(line.completion) != 1:
        raise FlowError(f"{path}:{number}: needs a prompt of one turn or more, and a completion of exactly one")
    prompt_id = hashlib.sha256(json.dumps(turns).encode()).hexdigest()[:16]
    said = line.completion[0].content
    category = line.category
    return GoldRow(number, prompt_id, turns, turns[-1][1], said, behaviour, facts, truth, category)


def _behaviour(path: Path, number: int, response_type: str, policy: Policy) -> tuple[str, dict[str, bool]]:
    known = {name: (b.name, facts) for b in policy.behaviours for name, facts in b.response_types.items()}
    known |= {b.name: (b.name, {}) for b in policy.behaviours}
    if response_type not in known:
        raise FlowError(
            f"{path}:{number}: response_type '{response_type[:40]}' is not one of {', '.join(known)} of policy "
            f"'{policy.name}'"
        )
    return known[response_type]


def likely_classes(gold: GoldFile, probabilities: NDArray[np.float64]) -> list[str]:
    """Return the class with the highest class feature for each row, given probabilities of `gold.propositions`."""
    found = [""] * len(gold.rows)
    column = {name: at for at, name in enumerate(gold.propositions)}
    for behaviour, at in _by_behaviour(gold.rows):
        columns = [column[name] for name in gold.policy.behaviour(behaviour).features]
        facts = {
            fact: np.array([{**gold.policy.default_facts, **gold.rows[row].facts}[fact] for row in at])
            for fact in gold.policy.default_facts
        }
        features = class_features(gold.policy, behaviour, probabilities[np.ix_(at, columns)], facts)
        for row, best in zip(at, features.values.argmax(axis=1), strict=True):
            found[row] = features.names[best]
    return found


def _by_behaviour(rows: Sequence[GoldRow]) -> Iterator[tuple[str, list[int]]]:
    for name in dict.fromkeys(row.behaviour for row in rows):
        yield name, [at for at, row in enumerate(rows) if row.behaviour == name]
