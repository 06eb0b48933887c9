"""The models of a round by their roles, and models chosen by one line of text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import Field, ValidationError

from demur.errors import ConfigError
from demur.lanes.registry import lane_names, lane_of
from demur.lanes.spec import ModelSpec
from demur.lanes.spec_checks import LANE_SENDS
from demur.levers.explain import FieldFault, did_you_mean, explain
from demur.levers.lever_models import Strict

# Reads a model from one line of text: the name of a configured model, or PROVIDER:MODEL with parameters.


SHAPE: Final = "[NAME=]PROVIDER:MODEL[,key=value...]"
EXAMPLE: Final = "mine=openai:gpt-6-sol,max_completion_tokens=4096,temperature=1"
_NAMED: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9][\w.-]*)=)?(?P<provider>\w+):(?P<rest>.+)", re.DOTALL)
_FIELDS: Final = frozenset(ModelSpec.model_fields) - {"name", "provider", "model", "parameters", "fallback"}
_EXTRA: Final = "extra."
"""The prefix of parameters that the lane's SDK does not know."""
_NEXT_KEY: Final = re.compile(r",\s*(?=[\w.-]+=)(?![^\[\]{}]*[\]}])")
"""Commas between keys, but not those inside the brackets of a value."""


SYSTEM_SHAPE: Final = "[NAME=]package.module:function, [NAME=]http://HOST/PATH or an entry point of demur.respondents"
UNVERSIONED: Final = "unversioned-"
"""The prefix of versions for systems without a given version. Each such version is unique."""
_SYSTEM: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9][\w.-]*)=)?(?P<address>[^,=]+)(?P<rest>,.*)?", re.DOTALL)


def system_as_model(text: str, version: str | None) -> str:
    """Return a text for `chosen_model` that names a system; `text` is `[NAME=]ADDRESS[,key=value...]`.

    If `version` is None and `text` has no key `version`, an entry point has the version of its package; any other
    system gets a new, unique version.

    Raises:
        ConfigError: the text names no system.
    """
    found = _SYSTEM.fullmatch(text)
    if found is None:
        raise ConfigError(f"--system '{text.partition(',')[0]}' is not {SYSTEM_SHAPE}")
    address = found["address"]
    if (module := address.partition(":")[0]).endswith(".py"):
        raise ConfigError(
            f"--system '{address}': write the module as in an import, {module[:-3].replace('/', '.')}:..."
        )
    provider = "service" if "://" in address else "respondent"
    name = (
        found["name"] or re.sub(r"[^A-Za-z0-9._-]+", "-", re.split("[:/.]", address.rstrip("/"))[-1]).strip(".-_")[:64]
    )
    rest = found["rest"] or ""
    if version is not None:
        rest += f",version={version}"
    elif ":" in address and ",version=" not in rest:
        rest += f",version={UNVERSIONED}{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    return f"{name or 'system'}={provider}:{address}{rest}"


def chosen_model(text: str, known: Sequence[ModelSpec], option: str = "--model") -> ModelSpec:
    """Return the model that a text describes.

    The text is the name of a known model, or `[NAME=]PROVIDER:MODEL[,key=value...]`. Keys such as base_url,
    api_key_env, mode and file set fields of the ModelSpec. Keys that the lane's SDK knows, and keys with the prefix
    `extra.`, are parameters of requests.

    Raises:
        ConfigError: the text names no usable model. The message shows no values, since a value may be an API key.
    """
    for spec in known:
        if spec.name == text:
            return spec
    named = f"{option} '{text.partition(',')[0]}'"
    found = _NAMED.fullmatch(text)
    if found is None or found["provider"] not in lane_names():
        names = ", ".join(spec.name for spec in known)
        raise ConfigError(
            f"{named} is neither a model of the configuration ({names or 'it has none'}) nor of the form {SHAPE} "
            f"with one of the providers {', '.join(lane_names())}, as in {EXAMPLE}"
        )
    model, *given = _NEXT_KEY.split(found["rest"])
    pairs = [(key, value) for key, _, value in (one.partition("=") for one in given)]
    problems = list(_problems(found["provider"], model, [key for key, _ in pairs]))
    fields: dict[str, Any] = {"provider": found["provider"], "model": model, "parameters": {}}
    fields["name"] = found["name"] or re.sub(r"[^A-Za-z0-9._-]+", "-", model.split("/")[-1]).strip(".-_")[:64]
    for key, value in pairs:
        read = value if key == "version" else _value(value)
        if key in _FIELDS:
            fields[key] = Path(value).resolve() if key == "file" and Path(value).is_file() else read
        else:
            fields["parameters"][key.removeprefix(_EXTRA)] = read
    try:
        if not problems:
            return ModelSpec.model_validate(fields)
    except ValidationError as exc:
        problems += dict.fromkeys(problem.message for problem in explain(exc, ModelSpec))
    raise ConfigError(f"{named}: {'; '.join(problems)} (written as {EXAMPLE})")


def _problems(provider: str, model: str, keys: Sequence[str]) -> Iterator[str]:
    if "=" in model:
        yield f"'{model}' is not a model's name: separate keys by commas"
    extra = re.compile(rf"{re.escape(_EXTRA)}.+")
    unsure = [key for key in keys if key not in _FIELDS | LANE_SENDS and not extra.fullmatch(key)]
    sent = lane_of(provider).known_parameters() if unsure else frozenset[str]()
    for key in unsure:
        if key in sent:
            continue
        known = f"a key of a model nor a parameter that provider {provider}'s SDK knows"
        meant = did_you_mean(key, [*_FIELDS, *sent])
        yield f"'{key}' is neither {known} ({_EXTRA}{key}=... sends it all the same){meant}"


def _value(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


# Roles of models: the properties of each role, and the models of a round by role.
#
# The entry of a role in `ROLES` decides its allowed models, its programs in a manifest and the expected length of its
# replies.


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
    "asker": Role(None, ("demur.programs.document_questions:Asker",), replies_as="generator"),
    "prover": Role(None, ("demur.programs.document_questions:Prover",), replies_as="verifier"),
    "generator": Role("recipes", ("demur.programs.perturbation:Generator", "demur.programs.perturbation:Repairer")),
    "verifier": Role("verifier"),
    "screener": Role("respondent", replies_as="respondent"),
    "recall": Role("respondent", ("demur.programs.respondent:Recaller",), replies_as="respondent"),
    "respondent": Role("respondent"),
    "judge": Role("judge", ("demur.programs.judge:Judge",)),
    "writer": Role("writer", ("demur.programs.completions:ComparisonWriter",), for_policies=True),
    "grader": Role("grader", for_policies=True),
    "rater": Role("rater", ("demur.programs.completions:Rater",), replies_as="judge"),
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
        description="model that answers questions from passages alone: those about documents, and those whose passages "
        "are withheld; not the asker",
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
