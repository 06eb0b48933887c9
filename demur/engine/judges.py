"""The models that judge a round's responses: a recording, or its fallback."""

from demur.configuration.labels import labelled_judges
from demur.engine.context import RoundContext
from demur.lanes.spec import ModelSpec


def judge_models(context: RoundContext) -> tuple[str, ...]:
    """Return the names of the models that judge somebody."""
    return tuple(dict.fromkeys(labelled_judges(context.config).values()))


def judge_specs(context: RoundContext) -> dict[str, ModelSpec]:
    """Return these models by name; a recording judges alone, so that no judgement of another stands under its name."""
    specs = context.specs(judge_models(context))
    return {spec.name: spec.model_copy(update={"fallback": None}) for spec in specs}
