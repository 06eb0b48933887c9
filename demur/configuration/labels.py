"""Labels of respondents and judges, by which scores are kept apart."""

from dataclasses import dataclass
from typing import Final

from demur.configuration.round_config import RoundConfig
from demur.lanes.spec import ModelSpec
from demur.programs.options import Prompts

FILE: Final = "file"
"""The respondent of responses that a file brings."""


@dataclass(frozen=True, slots=True)
class PromptedModel:
    """An answering model, by its name, and its set of prompts."""

    model: str
    prompts: Prompts


def labelled_respondents(config: RoundConfig) -> dict[str, PromptedModel]:
    """Return the respondents by label: the model's name, with the set of prompts if it is ours.

    The published prompts add nothing to the label, so that respondents are the same in rounds with and without ours.
    Models of rules and systems read no prompt and answer once.
    """
    found = {}
    for name in config.roles.respondents:
        reads = config.model_spec(name).lane.reads_prompts
        for prompts in config.response_prompts if reads else config.response_prompts[:1]:
            label = f"{name} ({prompts})" if reads and prompts is not Prompts.PUBLISHED else name
            found[label] = PromptedModel(name, prompts)
    return found


@dataclass(frozen=True, slots=True)
class Judging:
    """The judging of a respondent: both labels, and the judge's model."""

    respondent: str
    judge: str
    model: str


def judgings(config: RoundConfig) -> list[Judging]:
    """Return all judgings, each once.

    A recording has only judgements of the responses recorded with them. So its fallback judges the other respondents,
    under its own name. A first judging is the same unit of work for any number of later ones, so more can be requested
    later. Responses of a file have no answering model, and every judge judges them once.
    """
    if not config.roles.respondents:
        return [Judging(FILE, name, name) for name in config.roles.judges]
    found: dict[tuple[str, str], Judging] = {}
    for number in range(1, config.judge_replicates + 1):
        for label, respondent in labelled_respondents(config).items():
            for name in config.roles.judges:
                judge = config.model_spec(name)
                known = judge.fallback is None or recorded_with(judge, config.model_spec(respondent.model))
                model = name if known or judge.fallback is None else judge.fallback.name
                judging = model if number == 1 else f"{model}#{number}"
                found.setdefault((label, judging), Judging(label, judging, model))
    return list(found.values())


def labelled_judges(config: RoundConfig) -> dict[str, str]:
    """Return the judge of each judging, by its label: the judge's name, from the second judging on with its number."""
    return {one.judge: one.model for one in judgings(config)}


def recorded_with(judge: ModelSpec, respondent: ModelSpec) -> bool:
    """Return whether a recorded judge has judgements of all responses of a respondent from the same recording."""
    if judge.recording is None or respondent.recording is None or respondent.fallback is not None:
        return False
    return judge.recording[0] == respondent.recording[0]
