"""Files of completions to grade, and files of graded completions (`demur rbr grade`).

A file has one JSON object per line. A line has prompt, completion and behaviour. Prompt and completion are texts or
lists of messages; of a list, the last message is used. A graded line also has the most probable class, and the reward
if a reward file is given. Graded files are the input of `demur rbr fit`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StrictInt, StrictStr

from demur.engine.context import digest_of
from demur.errors import FlowError
from demur.levers.policy_models import Policy
from demur.programs.signatures.completions import Grounding
from demur.rewards.graded_files import read_lines
from demur.rewards.graders import GradedText, Grades
from demur.scoring.reward_fitting.completion_classes import class_features
from demur.scoring.standalone.demur_reward import FittedReward, RewardError, response_text, text_of

Text = str | Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class CompletionLine(BaseModel):
    """A line of a file of completions.

    `response_type` is an alternative name of `behaviour`; a policy may derive facts about the prompt from it.
    `propositions` maps the names of propositions to human labels, true or false.
    """

    model_config = ConfigDict(frozen=True)
    prompt: Text
    completion: Text
    behaviour: str = Field(validation_alias=AliasChoices("behaviour", "response_type"))
    prompt_id: StrictStr | StrictInt | None = None
    completion_id: StrictStr | StrictInt | None = None
    label: str | None = None
    facts: dict[str, bool] = {}
    base_reward: Finite | None = None
    grounding: Grounding | None = None
    propositions: dict[str, bool] = {}
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion of a file.

    `line` is the line number, from 1. If the file has no id of the prompt, `prompt_id` is a hash of the prompt.
    `propositions` are the propositions to grade; if None, the features of the behaviour are graded. `truth` maps the
    names of propositions to human labels, true or false.
    """

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
    truth: Mapping[str, bool] = field(default_factory=dict)
    category: str | None = None
    propositions: tuple[str, ...] | None = None

    @property
    def subject(self) -> GradedText:
        """The graded text and its inputs."""
        return GradedText(self.behaviour, self.prompt, self.completion, self.propositions, self.grounding)

    def row(self, policy: Policy) -> dict[str, object]:
        """Return the completion as a row of `file_lines`."""
        given = self.grounding
        texts: dict[str, object] = {
            "policy": policy.name,
            "behaviour": self.behaviour,
            "propositions": None if self.propositions is None else list(self.propositions),
            "prompt": self.prompt,
            "completion": self.completion,
            "question": None,
            "answers": None,
            "passages": None,
            "expected": None,
        }
        if given is not None:
            texts["question"] = given.question
            texts["answers"] = list(given.reference_answers)
            texts["passages"] = [
                {"index": at, "text": one.text, "relevant": one.relevant} for at, one in enumerate(given.passages)
            ]
            texts["expected"] = given.expected_behaviour
        return {"line": self.line, "subject_id": digest_of("completion", texts), **texts}


def read_completions(path: Path, policy: Policy) -> tuple[Completion, ...]:
    """Return the completions of a file.

    Raises:
        FlowError: the file cannot be read or has no rows, or a line is invalid.
    """
    _, lines = read_lines(CompletionLine, path, "Give one completion per line, as a JSON object", extra="forbid")
    return tuple(completion_of(path, number, line, policy) for number, line in lines)


def completion_of(path: Path, number: int, line: CompletionLine, policy: Policy) -> Completion:
    """Return the completion of a line.

    Raises:
        FlowError: the policy does not have the behaviour or a fact, or a text is missing.
    """
    known = {name: (b.name, facts) for b in policy.behaviours for name, facts in b.response_types.items()}
    known |= {b.name: (b.name, {}) for b in policy.behaviours}
    if line.behaviour not in known:
        raise FlowError(
            f"{path}:{number}: behaviour '{line.behaviour[:40]}' is not in policy '{policy.name}', which has "
            f"{', '.join(known)}"
        )
    behaviour, implied = known[line.behaviour]
    if unknown := [fact for fact in line.facts if fact not in policy.default_facts]:
        raise FlowError(
            f"{path}:{number}: facts {', '.join(unknown)} are not in policy '{policy.name}', which has "
            f"{', '.join(policy.default_facts) or 'none'}"
        )
    try:
        prompt = text_of(line.prompt)
        said = response_text(line.completion)
    except RewardError as exc:
        raise FlowError(f"{path}:{number}: {exc}. Give texts, or messages with role and content") from exc
    messages = [{"role": "user", "content": prompt}] if isinstance(line.prompt, str) else line.prompt
    turns = [(message.get("role"), message.get("content")) for message in messages]
    whole = hashlib.sha256(json.dumps(turns).encode()).hexdigest()[:16]
    names = {name: p.name for p in policy.propositions for name in (p.name, *p.aliases)}
    return Completion(
        line=number,
        prompt=prompt,
        completion=said,
        behaviour=behaviour,
        prompt_id=whole if line.prompt_id is None else str(line.prompt_id),
        completion_id=str(number if line.completion_id is None else line.completion_id),
        facts={**policy.default_facts, **implied, **line.facts},
        label=line.label,
        base_reward=line.base_reward,
        grounding=line.grounding,
        truth={names[name]: held for name, held in line.propositions.items() if name in names},
        category=line.category,
    )


@dataclass(frozen=True, slots=True)
class GradedCompletions:
    """The result of grading.

    `rows` are the graded completions. `failed` has line and reason of every other completion.
    """

    rows: tuple[dict[str, Any], ...]
    failed: tuple[tuple[int, str], ...]


def graded_completions(
    completions: Sequence[Completion],
    policy: Policy,
    graded: Mapping[int, Grades | str],
    reward: FittedReward | None = None,
) -> GradedCompletions:
    """Return completions with their grades, their most probable classes and their rewards.

    Args:
        completions: the completions of a file.
        policy: their policy.
        graded: grades by line, or the reason for missing grades.
        reward: the fitted reward, if rewards are wanted.

    Raises:
        FlowError: the reward does not fit the completions.
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
    """Return the probability of each class of a completion, from the probabilities of its propositions."""
    features = policy.behaviour(behaviour).features
    values = np.array([[probabilities[name] for name in features]])
    held = {**policy.default_facts, **facts}
    found = class_features(policy, behaviour, values, {name: np.array([held[name]]) for name in policy.default_facts})
    return dict(zip(found.names, map(float, found.values[0]), strict=True))


def _row(
    policy: Policy, completion: Completion, found: dict[str, float], reward: FittedReward | None
) -> dict[str, Any]:
    classes = class_probabilities(policy, completion.behaviour, found, completion.facts)
    features = {name: found[name] for name in policy.behaviour(completion.behaviour).features}
    row: dict[str, Any] = {
        "prompt_id": completion.prompt_id,
        "completion_id": completion.completion_id,
        "behaviour": completion.behaviour,
        **({"label": completion.label} if completion.label is not None else {}),
        "features": features | classes,
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
