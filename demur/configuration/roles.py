"""The roles of models: the properties of each role, and the models that a round gives to them.

A role has its entry in `ROLES`. Its allowed models, its programs in a manifest and the expected length of its replies
follow from the entry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from demur.lanes.spec import ModelSpec
from demur.levers.errors import FieldFault
from demur.levers.models import Strict


@dataclass(frozen=True, slots=True)
class Role:
    """Properties of a role, for all its models.

    Attributes:
        rules: The part of the rules lane that serves the role, as models of the lane are named; None: rules cannot.
        programs: The programs of the role, as `module:class`, without programs chosen by a configuration.
        replies_as: The role with equally long replies, for estimates without recorded replies of this one.
    """

    rules: str | None = None
    programs: tuple[str, ...] = ()
    replies_as: str | None = None


ROLES: Final[Mapping[str, Role]] = {
    "asker": Role(None, ("demur.programs.asker:Asker",), replies_as="generator"),
    "prover": Role(None, ("demur.programs.prover:Prover",), replies_as="verifier"),
    "generator": Role("recipes", ("demur.programs.generator:Generator", "demur.programs.generator:Repairer")),
    "verifier": Role("verifier"),
    "screener": Role("respondent", replies_as="respondent"),
    "recall": Role("respondent", ("demur.programs.recaller:Recaller",), replies_as="respondent"),
    "respondent": Role("respondent"),
    "judge": Role("judge", ("demur.programs.judge:Judge",)),
    "writer": Role("writer", ("demur.programs.comparison_writer:ComparisonWriter",)),
    "grader": Role("grader"),
    "rater": Role("rater", ("demur.programs.rater:Rater",), replies_as="judge"),
}


def serves(spec: ModelSpec, role: str) -> bool:
    """Return whether a model can be asked in a role: a model of the rules lane serves those of its part only."""
    if spec.lane.roles:
        return role in spec.lane.roles
    return not spec.lane.models or spec.model.partition("/")[0] == ROLES[role].rules


class Roles(Strict):
    """The models of each role, by name."""

    asker: str | None = Field(
        default=None,
        exclude_if=lambda name: name is None,
        description="who makes questions of documents, where the corpus is documents",
    )
    prover: str | None = Field(
        default=None,
        exclude_if=lambda name: name is None,
        description="who answers them from the passages alone: another model than the asker",
    )
    screeners: tuple[str, ...]
    generators: Annotated[tuple[str, ...], Field(min_length=1)]
    verifiers: Annotated[tuple[str, ...], Field(min_length=1)]
    respondents: Annotated[tuple[str, ...], Field(min_length=1)]
    judges: Annotated[tuple[str, ...], Field(min_length=1)]
    writer: str
    grader: str
    rater: str | None = Field(
        default=None,
        exclude_if=lambda name: name is None,
        description="who rates how helpful completions are: base rewards, which weights are added to",
    )

    def named(self) -> dict[str, tuple[str, ...]]:
        """Return the model names of each role."""
        named = ((role, (names,) if isinstance(names, str) else names) for role, names in self)
        return {role: names for role, names in named if names is not None}


def probe_problem(
    place: tuple[str, ...],
    probes: Sequence[str],
    role: str,
    models: Mapping[str, ModelSpec],
    respondents: Sequence[str],
) -> FieldFault | None:
    """Return why these models cannot be probes beside the respondents, None where they can."""
    if fault := _unfit(place, probes, role, models):
        return fault
    for number, name in enumerate(probes):
        for respondent in respondents:
            if asked_alike(models[respondent], models[name]):
                return FieldFault(
                    (*place, number),
                    f"'{name}' is the respondent '{respondent}' (the same model and parameters), and a probe is "
                    "never scored: base instances are drawn by what it knows. Name another model, or take it out of "
                    "roles.respondents",
                )
    return None


def _unfit(
    place: tuple[str, ...], names: Sequence[str], role: str, models: Mapping[str, ModelSpec]
) -> FieldFault | None:
    for number, name in enumerate(names):
        if name not in models:
            return FieldFault((*place, number), f"'{name}' is not one of the models {', '.join(sorted(models))}")
        if not serves(models[name], role):
            return FieldFault((*place, number), f"'{name}' is {models[name].model}, rules for another role than {role}")
    return None


def asked_alike(one: ModelSpec, other: ModelSpec) -> bool:
    """Return whether two specs are the same model with the same parameters, under any names."""
    return _decisive(one) == _decisive(other)


def _decisive(spec: ModelSpec) -> dict[str, Any]:
    """Return the fields of a model's spec that decide its answers; files are not read."""
    return spec.model_dump(include={"provider", "model", "parameters", "structured_output", "via", "file"})
