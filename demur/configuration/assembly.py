"""The part `assemble` of a round's configuration: whether items are chosen by how hard they are, and for whom."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import Field, model_validator

from demur.lanes.spec import ModelSpec
from demur.levers.errors import FieldFault
from demur.levers.models import Strict


class DifficultyChoice(Strict):
    """How far items are chosen by what probe respondents get right; the others are drawn at random."""

    target: float = Field(gt=0, lt=1, description="chance of a right response that an item should have: .5 tells most")
    probe: tuple[str, ...] = Field(
        min_length=1, description="models that respond to every accepted perturbation, and are never scored"
    )
    max_share: float = Field(
        ge=0, le=1, description="highest share of a stratum's items chosen by difficulty; at least one is always drawn"
    )
    adjudicators: tuple[str, ...] = Field(
        default=(), description="verifiers of what all probes miss, seeing the responses; empty: the round's verifiers"
    )

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        for field in ("probe", "adjudicators"):
            names = getattr(self, field)
            if len(set(names)) != len(names):
                raise FieldFault((field,), "names a model twice; each responds once")
        return self

    def problem(self, models: Mapping[str, ModelSpec], roles: Mapping[str, tuple[str, ...]]) -> FieldFault | None:
        """Return why these models cannot probe and adjudicate beside the other roles, None where they can."""
        place = ("assemble", "difficulty")
        adjudicators = (*place, "adjudicators")
        fault = probe_problem((*place, "probe"), self.probe, "pretest", models, roles["respondents"])
        if fault := fault or _unfit(adjudicators, self.adjudicators, "adjudicator", models):
            return fault
        for generator in roles["generators"]:
            if not self.independent(models, roles["verifiers"], generator):
                return FieldFault(
                    adjudicators,
                    f"leaves nobody to look again at what {generator} makes and the probes miss: name a model that is "
                    "neither a probe nor the generator",
                )
        return None

    def independent(
        self, models: Mapping[str, ModelSpec], verifiers: tuple[str, ...], generator: str
    ) -> tuple[str, ...]:
        """Return who may adjudicate what a generator made: neither its model nor that of a probe."""
        involved = {_identity(models[name]) for name in (*self.probe, generator)}
        return tuple(name for name in self.adjudicators or verifiers if _identity(models[name]) not in involved)


class Assembly(Strict):
    """How items are chosen from what is accepted."""

    difficulty: DifficultyChoice | None = Field(
        default=None, description="by what probes get right, within bounds; nothing: all are drawn at random"
    )


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
            if _asked_alike(models[respondent]) == _asked_alike(models[name]):
                return FieldFault(
                    (*place, number),
                    f"'{name}' is the respondent '{respondent}' (the same model and parameters), and a probe is "
                    "never scored: items are chosen by what it says. Name another model, or take it out of "
                    "roles.respondents",
                )
    return None


def _unfit(
    place: tuple[str, ...], names: Sequence[str], role: str, models: Mapping[str, ModelSpec]
) -> FieldFault | None:
    for number, name in enumerate(names):
        if name not in models:
            return FieldFault((*place, number), f"'{name}' is not one of the models {', '.join(sorted(models))}")
        if not models[name].serves(role):
            return FieldFault((*place, number), f"'{name}' is {models[name].model}, rules for another role than {role}")
    return None


def _asked_alike(spec: ModelSpec) -> dict[str, Any]:
    """Return what decides the answers of a model, as its spec has it; files are not read for it."""
    return spec.model_dump(include={"provider", "model", "parameters", "structured_output", "via", "file"})


def _identity(spec: ModelSpec) -> tuple[str, ...]:
    """Return what makes two specs one model, whatever its parameters."""
    return (spec.provider, spec.model, *((str(spec.file),) if spec.file else ()))
