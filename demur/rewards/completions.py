"""Files of completions to grade, one JSON object per line, and what grading makes of them: `demur rbr grade`.

A line has prompt and completion (texts, or messages whose last one counts) and behaviour, and may have prompt_id,
completion_id, label, facts, base_reward and, for a benchmark item, grounding. What comes out is what weights are fitted
to (`demur rbr fit`), with the class, and with a reward file the reward.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, StrictInt, StrictStr

from demur.engine.context import digest_of
from demur.errors import FlowError
from demur.levers.models import Strict
from demur.levers.policies import Policy
from demur.programs.signatures.comparison import Grounding
from demur.rewards.graders import Grades, Subject
from demur.rewards.jsonl import read_lines
from demur.scoring.classes import class_features
from demur.scoring.demur_reward import FittedReward, RewardError, text_of

Text = str | Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Line(Strict):
    prompt: Text
    completion: Text
    behaviour: str
    prompt_id: StrictStr | StrictInt | None = None
    completion_id: StrictStr | StrictInt | None = None
    label: str | None = None
    facts: dict[str, bool] = {}
    base_reward: Finite | None = None
    grounding: Grounding | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion of a file, at its line."""

    line: int
    prompt: str
    completion: str
    behaviour: str
    prompt_id: str
    completion_id: str
    facts: dict[str, bool]
    label: str | None = None
    base_reward: float | None = None
    grounding: Grounding | None = None

    @property
    def subject(self) -> Subject:
        """What is graded of it."""
        return Subject(self.behaviour, self.prompt, self.completion, None, self.grounding)

    def row(self, policy: Policy) -> dict[str, object]:
        """Return it as a row of `file_lines`."""
        given = self.grounding
        passages = () if given is None else given.passages
        texts = {
            "policy": policy.name,
            "behaviour": self.behaviour,
            "propositions": None,
            "prompt": self.prompt,
            "completion": self.completion,
            "question": None if given is None else given.question,
            "answers": None if given is None else list(given.reference_answers),
            "passages": None
            if given is None
            else [{"index": one.number - 1, "text": one.text, "relevant": one.relevant} for one in passages],
            "expected": None if given is None else given.expected_behaviour,
        }
        return {"line": self.line, "subject_id": digest_of("completion", texts), **texts}


def read_completions(path: Path, policy: Policy) -> tuple[Completion, ...]:
    """Return the completions of a file.

    Raises:
        FlowError: the file cannot be read or has no rows, or a row cannot be used; its line is named.
    """
    _, lines = read_lines(_Line, path, "Give one completion per line, as a JSON object")
    return tuple(_completion(path, number, line, policy) for number, line in lines)


def _completion(path: Path, number: int, line: _Line, policy: Policy) -> Completion:
    if line.behaviour not in (known := [behaviour.name for behaviour in policy.behaviours]):
        raise FlowError(
            f"{path}:{number}: behaviour '{line.behaviour[:40]}' is none of policy '{policy.name}', which has "
            f"{', '.join(known)}"
        )
    if unknown := [fact for fact in line.facts if fact not in policy.default_facts]:
        raise FlowError(
            f"{path}:{number}: facts {', '.join(unknown)} are none of policy '{policy.name}', which has "
            f"{', '.join(policy.default_facts) or 'none'}"
        )
    try:
        prompt = text_of(line.prompt)
        said = text_of(line.completion)
    except RewardError as exc:
        raise FlowError(f"{path}:{number}: {exc}. Give texts, or messages with role and content") from exc
    prompt_id = str(line.prompt_id) if line.prompt_id is not None else hashlib.sha256(prompt.encode()).hexdigest()[:16]
    completion_id = str(line.completion_id) if line.completion_id is not None else str(number)
    facts = {**policy.default_facts, **line.facts}
    return Completion(
        number, prompt, said, line.behaviour, prompt_id, completion_id, facts, line.label, line.base_reward,
        line.grounding,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GradedCompletions:
    """What grading came to: a row per completion that was graded, and what became of the others, by line."""

    rows: tuple[dict[str, Any], ...]
    failed: tuple[tuple[int, str], ...]


def graded_completions(
    completions: Sequence[Completion],
    policy: Policy,
    graded: Mapping[int, Grades | str],
    reward: FittedReward | None = None,
) -> GradedCompletions:
    """Return completions with their grades, class and reward; `graded` has the grades by line, or why there are none.

    Raises:
        FlowError: the reward is of other behaviours.
    """
    rows = []
    failed = []
    for completion in completions:
        found = graded[completion.line]
        if isinstance(found, str):
            failed.append((completion.line, found))
        else:
            rows.append(_row(policy, completion, found, reward))
    return GradedCompletions(tuple(rows), tuple(failed))


def class_probabilities(
    policy: Policy, behaviour: str, probabilities: dict[str, float], facts: dict[str, bool]
) -> dict[str, float]:
    """Return the probability of each class of a completion, as its propositions' probabilities have it."""
    features = policy.behaviour(behaviour).features
    values = np.array([[probabilities[name] for name in features]])
    held = {**policy.default_facts, **facts}
    found = class_features(policy, behaviour, values, {name: np.array([held[name]]) for name in policy.default_facts})
    return dict(zip(found.names, map(float, found.values[0]), strict=True))


def _row(
    policy: Policy, completion: Completion, found: dict[str, float], reward: FittedReward | None
) -> dict[str, Any]:
    classes = class_probabilities(policy, completion.behaviour, found, completion.facts)
    row: dict[str, Any] = {
        "prompt_id": completion.prompt_id,
        "completion_id": completion.completion_id,
        "behaviour": completion.behaviour,
        **({"label": completion.label} if completion.label is not None else {}),
        "features": {**found, **classes},
        **({"base_reward": completion.base_reward} if completion.base_reward is not None else {}),
        "class": max(classes, key=lambda name: classes[name]),
    }
    if reward is not None:
        try:
            row["total_reward"] = reward.score(
                completion.behaviour, found, completion.facts, completion.base_reward or 0.0
            )
        except RewardError as exc:
            raise FlowError(f"the reward file does not fit line {completion.line}: {exc}") from exc
    return row
