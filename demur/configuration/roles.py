"""Roles of models: the properties of each role, and the models of a round by role.

The entry of a role in `ROLES` decides its allowed models, its programs in a manifest and the expected length of its
replies.
"""

from collections.abc import Iterator, Mapping, Sequence
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
        for_policies: True if the role is asked only in rounds with policies (`fit.policies`), and needed in them.
    """

    rules: str | None = None
    programs: tuple[str, ...] = ()
    replies_as: str | None = None
    for_policies: bool = False


ROLES: Final[Mapping[str, Role]] = {
    "asker": Role(None, ("demur.programs.asker:Asker",), replies_as="generator"),
    "prover": Role(None, ("demur.programs.prover:Prover",), replies_as="verifier"),
    "generator": Role("recipes", ("demur.programs.generator:Generator", "demur.programs.generator:Repairer")),
    "verifier": Role("verifier"),
    "screener": Role("respondent", replies_as="respondent"),
    "recall": Role("respondent", ("demur.programs.recaller:Recaller",), replies_as="respondent"),
    "respondent": Role("respondent"),
    "judge": Role("judge", ("demur.programs.judge:Judge",)),
    "writer": Role("writer", ("demur.programs.comparison_writer:ComparisonWriter",), for_policies=True),
    "grader": Role("grader", for_policies=True),
    "rater": Role("rater", ("demur.programs.rater:Rater",), replies_as="judge"),
}


OF_ALL_JUDGES: Final = "majority"
"""The name under which results show the vote of several judges; no judge can have it."""


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
    screeners: tuple[str, ...] = Field(
        default=(), description="models that must answer a base instance before it is used; empty: none"
    )
    generators: Annotated[tuple[str, ...], Field(min_length=1)]
    verifiers: Annotated[tuple[str, ...], Field(min_length=1)]
    respondents: Annotated[tuple[str, ...], Field(min_length=1)]
    judges: Annotated[tuple[str, ...], Field(min_length=1)]
    writer: str | None = Field(
        default=None,
        exclude_if=lambda name: name is None,
        description="model that writes completions to compare; needed with fit.policies",
    )
    grader: str | None = Field(
        default=None,
        exclude_if=lambda name: name is None,
        description="model that grades propositions about texts; needed with fit.policies",
    )
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
    for number, name in enumerate(probes):
        if fault := next(_unfit((*place, number), name, role, models), None):
            return fault
        for respondent in respondents:
            if asked_alike(models[respondent], models[name]):
                return FieldFault(
                    (*place, number),
                    f"'{name}' is the respondent '{respondent}' (the same model and parameters). A probe decides the "
                    "draw of base instances, so it cannot be scored. Name another model, or remove this model from "
                    "roles.respondents",
                )
    return None


def role_problems(roles: Roles, models: Mapping[str, ModelSpec]) -> Iterator[FieldFault]:
    """Yield a fault for each name in `roles` that is no model, repeated, or a model that cannot have its role."""
    for role, names in roles.named().items():
        for number, name in enumerate(names):
            place = ("roles", role, number) if role.endswith("s") else ("roles", role)
            yield from _unfit(place, name, role.removesuffix("s"), models)
            if role == "judges" and name == OF_ALL_JUDGES:
                yield FieldFault(place, f"'{name}' names the vote of several judges in results. Rename the model")
        if len(set(names)) != len(names):
            yield FieldFault(("roles", role), "names a model twice. Name each model once")


def _unfit(place: tuple[str | int, ...], name: str, role: str, models: Mapping[str, ModelSpec]) -> Iterator[FieldFault]:
    if name not in models:
        yield FieldFault(place, f"'{name}' is not one of the models {', '.join(sorted(models))}")
        return
    for spec in (models[name], models[name].fallback):
        if spec is not None and not serves(spec, role):
            yield FieldFault(place, f"'{spec.name}' is {spec.model}, {_why_not(spec, role)}")


def _why_not(spec: ModelSpec, role: str) -> str:
    if spec.lane.by_rule and ROLES[role].rules is None:
        return "which answers by rules, and no rules make or prove questions. Name a language model"
    return f"whose rules are for another role than {role}"


def asked_alike(one: ModelSpec, other: ModelSpec) -> bool:
    """Return whether two specs are the same model with the same parameters; the names may differ."""
    return _decisive(one) == _decisive(other)


def _decisive(spec: ModelSpec) -> dict[str, Any]:
    return spec.model_dump(include={"provider", "model", "parameters", "structured_output", "via", "file"})
