"""Roles of models: the properties of each role, and the models of a round by role.

The entry of a role in `ROLES` decides its allowed models, its programs in a manifest and the expected length of its
replies.
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
    """Properties of a role.

    Attributes:
        rules: The first part of the name of every rules model for the role, such as `judge` in `judge/patterns`; None
            if no rules model can have the role.
        programs: The programs of the role, as `module:class`, except programs that depend on the configuration.
        replies_as: Another role with replies of about the same length, for estimates without recorded replies; None if
            there is no such role.
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
    """Return whether a model can have a role.

    The first part of a rules model's name, such as `judge` in `judge/patterns`, must equal the attribute `rules` of the
    role.
    """
    if spec.lane.roles:
        return role in spec.lane.roles
    return not spec.lane.models or spec.model.partition("/")[0] == ROLES[role].rules


class Roles(Strict):
    """The names of the models of each role."""

    asker: str | None = Field(
        default=None,
        exclude_if=lambda name: name is None,
        description="model that writes questions about documents",
    )
    prover: str | None = Field(
        default=None,
        exclude_if=lambda name: name is None,
        description="model that answers these questions from passages alone; not the asker",
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
        description="model that rates the helpfulness of completions, as base rewards",
    )

    def named(self) -> dict[str, tuple[str, ...]]:
        """Return the model names by role, without empty roles."""
        named = ((role, (names,) if isinstance(names, str) else names) for role, names in self)
        return {role: names for role, names in named if names is not None}


def probe_problem(
    place: tuple[str, ...],
    probes: Sequence[str],
    role: str,
    models: Mapping[str, ModelSpec],
    respondents: Sequence[str],
) -> FieldFault | None:
    """Return why the models `probes` cannot be probes of a round with `respondents`; None if all of them can."""
    if fault := _unfit(place, probes, role, models):
        return fault
    for number, name in enumerate(probes):
        for respondent in respondents:
            if asked_alike(models[respondent], models[name]):
                return FieldFault(
                    (*place, number),
                    f"'{name}' is the respondent '{respondent}' (the same model and parameters), and a probe is "
                    "never scored, since it decides the draw of base instances. Name another model, or take it out of "
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
    """Return whether two specs are the same model with the same parameters; the names may differ."""
    return _decisive(one) == _decisive(other)


def _decisive(spec: ModelSpec) -> dict[str, Any]:
    return spec.model_dump(include={"provider", "model", "parameters", "structured_output", "via", "file"})
