"""Gold files: completions with human labels of propositions, one JSON object per line.

A gold file is a file of completions in which each line has `propositions`. Other fields are ignored. Texts may be
offensive. Therefore texts are never written, and messages contain only line numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from demur.errors import FlowError
from demur.levers.policy_models import Policy
from demur.rewards.completions import Completion, CompletionLine, completion_of
from demur.rewards.jsonl import read_lines
from demur.scoring.classes import class_features


@dataclass(frozen=True, slots=True)
class GoldFile:
    """The rows of a gold file, its SHA-256, and the propositions that are labelled in all rows."""

    policy: Policy
    sha256: str
    rows: tuple[Completion, ...]
    propositions: tuple[str, ...]

    @property
    def truth(self) -> NDArray[np.bool_]:
        """The labels of propositions, in an array of shape (rows, propositions)."""
        found = [[row.truth[name] for name in self.propositions] for row in self.rows]
        return np.array(found, dtype=np.bool_).reshape(len(self.rows), len(self.propositions))

    @property
    def classes(self) -> list[str]:
        """The class of each row according to its labels."""
        return [self.policy.behaviour(row.behaviour).class_of(row.truth, row.facts) for row in self.rows]

    @property
    def prompt_ids(self) -> list[str]:
        """The id of the prompt of each row."""
        return [row.prompt_id for row in self.rows]


def read_gold(path: Path, policy: Policy) -> GoldFile:
    """Return a gold file.

    The policy's aliases of propositions are replaced by their names. Unknown propositions are ignored.

    Raises:
        FlowError: the file cannot be read, has no rows, or has an invalid line.
    """
    sha256, lines = read_lines(CompletionLine, path, "Give one judged completion per line, as a JSON object")
    rows = [completion_of(path, number, line, policy) for number, line in lines]
    for row in rows:
        if absent := [name for name in policy.behaviour(row.behaviour).features if name not in row.truth]:
            raise FlowError(
                f"{path}:{row.line}: propositions lack {', '.join(absent)}, features of behaviour '{row.behaviour}'. "
                "Add them"
            )
    judged = tuple(p.name for p in policy.propositions if all(p.name in row.truth for row in rows))
    return GoldFile(policy, sha256, tuple(replace(row, propositions=judged) for row in rows), judged)


def likely_classes(gold: GoldFile, probabilities: NDArray[np.float64]) -> list[str]:
    """Return the most probable class of each row. `probabilities` has the shape (rows, propositions)."""
    found = [""] * len(gold.rows)
    column = {name: at for at, name in enumerate(gold.propositions)}
    for behaviour, at in _by_behaviour(gold.rows):
        columns = [column[name] for name in gold.policy.behaviour(behaviour).features]
        facts = {fact: np.array([gold.rows[row].facts[fact] for row in at]) for fact in gold.policy.default_facts}
        features = class_features(gold.policy, behaviour, probabilities[np.ix_(at, columns)], facts)
        for row, best in zip(at, features.values.argmax(axis=1), strict=True):
            found[row] = features.names[best]
    return found


def _by_behaviour(rows: Sequence[Completion]) -> Iterator[tuple[str, list[int]]]:
    for name in dict.fromkeys(row.behaviour for row in rows):
        yield name, [at for at, row in enumerate(rows) if row.behaviour == name]
