"""The judge models of a round: language models, recordings, and fallbacks of recordings."""

from demur.configuration.labels import labelled_judges
from demur.engine.context import RoundContext
from demur.lanes.spec import ModelSpec


def judge_models(context: RoundContext) -> tuple[str, ...]:
    """Return the names of the models that judge at least one respondent."""
    return tuple(dict.fromkeys(labelled_judges(context.config).values()))


def judge_specs(context: RoundContext) -> dict[str, ModelSpec]:
    """Return the specs of the judge models, by name.

    The specs have no fallbacks: the judgements of a fallback would have the recorded judge's name.
    """
    specs = context.specs(judge_models(context))
    return {spec.name: spec.model_copy(update={"fallback": None}) for spec in specs}
