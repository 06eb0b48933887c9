"""Probes: unscored models that are asked before a round, to find known answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from demur.configuration.roles import serves
from demur.lanes.spec import ModelSpec
from demur.levers.errors import FieldFault


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
