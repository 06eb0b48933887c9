"""A trained proposition grader as a file: coefficients over signals, plain JSON, nothing executable.

The file holds numbers and names only: no word of the training texts. Training is done in scoring; flows decide where
the file is kept.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, ValidationError, model_validator

from demur.levers.durable import replace_durably
from demur.levers.instances import Frozen
from demur.programs.errors import ProgramError
from demur.programs.signatures.completions import Grade
from demur.rules.roles import grade
from demur.rules.roles.grade import signal_names, signals_fingerprint, signals_of

FORMAT: Final = "demur-grader/1"
MAX_BYTES: Final = 20_000_000
Number = Annotated[float, Field(allow_inf_nan=False)]


class TrainedProposition(Frozen):
    """The grader of one proposition: a logistic model.

    The coefficients are those of the standardised signals, followed by those of the behaviours. A probability above
    `threshold` means that the proposition holds. If too few training rows were true or false, there are no
    coefficients, and patterns grade the proposition.
    """

    name: str
    positives: int = Field(ge=0, description="training rows of which it holds")
    threshold: float = Field(ge=0, le=1)
    intercept: Number = 0.0
    coefficients: tuple[Number, ...] = ()


class TrainingData(Frozen):
    """A grader's training data, by checksum and size."""

    sha256: str
    rows: int
    prompts: int


class TrainedGrader(Frozen):
    """Graders of all propositions of a policy.

    A grader computes a probability from the signals of a completion and from its expected behaviour.
    """

    format: Literal["demur-grader/1"] = FORMAT
    policy: str
    policy_fingerprint: str
    data: TrainingData
    trained_with: str
    signals: str = Field(description="fingerprint of the signals")
    behaviours: dict[str, tuple[str, ...]] = Field(description="by behaviour, its features")
    means: tuple[Number, ...]
    scales: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...]
    propositions: tuple[TrainedProposition, ...]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        count = len(self.means)
        if len(self.scales) != count:
            raise ValueError(f"there are {count} means but {len(self.scales)} scales")
        for proposition in self.propositions:
            if len(proposition.coefficients) not in (0, count + len(self.behaviours)):
                raise ValueError(f"'{proposition.name}' has {len(proposition.coefficients)} coefficients")
        return self

    @property
    def thresholds(self) -> dict[str, float]:
        """The probability above which each proposition is taken to hold."""
        return {proposition.name: proposition.threshold for proposition in self.propositions}

    def probabilities(self, prompt: str, completion: str, behaviour: str) -> dict[str, float]:
        """Return the probability of every proposition of the policy.

        Raises:
            ProgramError: the grader was not trained for the behaviour.
        """
        if behaviour not in self.behaviours:
            raise ProgramError(
                f"the grader was not trained for behaviour '{behaviour}', only for {', '.join(self.behaviours)}"
            )
        standard = [
            (value - mean) / scale
            for value, mean, scale in zip(signals_of(prompt, completion), self.means, self.scales, strict=True)
        ]
        row = [*standard, *(float(name == behaviour) for name in self.behaviours)]
        return {p.name: _probability(p, row, prompt, completion) for p in self.propositions}

    def knows(self, task: str, inputs: Mapping[str, Any]) -> bool:
        """Return whether a request concerns completions of the grader's policy, without passages."""
        return task == "GradePropositions" and inputs["policy"] == self.policy and inputs["grounding"] is None

    def reply(self, inputs: Mapping[str, Any]) -> dict[str, object]:
        """Return the output fields of a grading request.

        Raises:
            ProgramError: the propositions asked about are not all features of one behaviour.
        """
        asked = [proposition.name for proposition in inputs["propositions"]]
        found = self.probabilities(inputs["prompt"], inputs["completion"], self.behaviour_with(frozenset(asked)))
        return {"grades": tuple(Grade(proposition=name, probability=found[name]) for name in asked)}

    def behaviour_with(self, features: frozenset[str]) -> str:
        """Return the behaviour whose features are `features`. A grading request does not name its behaviour.

        Raises:
            ProgramError: no behaviour has these features, or several have.
        """
        found = [name for name, held in self.behaviours.items() if frozenset(held) == features]
        if len(found) != 1:
            raise ProgramError(
                f"{len(found)} behaviours of policy '{self.policy}' have exactly the {len(features)} given "
                "propositions; a trained grader needs all features of one behaviour"
            )
        return found[0]


def _probability(proposition: TrainedProposition, row: list[float], prompt: str, completion: str) -> float:
    if not proposition.coefficients:
        found = grade.safety_probability(proposition.name, prompt, completion)
        if found is None:
            raise ProgramError(f"rules have no patterns for proposition '{proposition.name}', and it was not trained")
        return found
    odds = proposition.intercept + math.fsum(c * x for c, x in zip(proposition.coefficients, row, strict=True))
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def save_grader(grader: TrainedGrader, path: Path) -> str:
    """Write a grader and return the file's checksum; the same training data give the same bytes.

    Raises:
        ProgramError: the file cannot be written.
    """
    text = json.dumps(grader.model_dump(mode="json"), indent=1) + "\n"
    try:
        replace_durably(path, text.encode())
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be written ({exc.strerror}). Name another file") from exc
    return hashlib.sha256(text.encode()).hexdigest()


def load_grader(path: Path) -> TrainedGrader:
    """Return the grader in a file; nothing in the file is executed.

    Raises:
        ProgramError: the file is no trained grader, or was trained on other signals.
    """
    return _parsed(str(path), _read(path))


@lru_cache(maxsize=8)
def _parsed(name: str, raw: bytes) -> TrainedGrader:
    try:
        grader = TrainedGrader.model_validate_json(raw)
    except ValidationError as exc:
        problem = exc.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"]) or "the file"
        raise ProgramError(f"{name}: is not a trained grader ({place}: {problem['msg']}). {_REMEDY}") from exc
    if grader.signals != signals_fingerprint() or len(grader.means) != len(signal_names()):
        raise ProgramError(
            f"{name}: was trained on signals {grader.signals}, but this version has {signals_fingerprint()}. {_REMEDY}"
        )
    return grader


_REMEDY: Final = "Train one: demur rbr train-grader GOLD --out FILE"


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ProgramError(f"{path}: has {path.stat().st_size:,} bytes; a trained grader has at most {MAX_BYTES:,}")
        return path.read_bytes()
    except OSError as exc:
        raise ProgramError(f"{path}: cannot be read ({exc.strerror}). {_REMEDY}") from exc
