"""Labels of respondents and judges, which keep their scores apart."""

from dataclasses import dataclass
from typing import Final

from demur.configuration.round_config import RoundConfig
from demur.lanes.spec import ModelSpec
from demur.programs.options import Prompts

FILE: Final = "file"
"""The label of the respondent for responses from a file."""


@dataclass(frozen=True, slots=True)
class PromptedModel:
    """A respondent: the name of its model, and its set of prompts."""

    model: str
    prompts: Prompts


def labelled_respondents(config: RoundConfig) -> dict[str, PromptedModel]:
    """Return the respondents by label.

    The label is the model's name, followed by the set of prompts in parentheses if the prompts are not the published
    ones. Rules models and systems read no prompts, so their label is the name.
    """
    found = {}
    for name in config.roles.respondents:
        reads = config.model_spec(name).lane.reads_prompts
        for prompts in config.prompts_of(name) if reads else config.response_prompts[:1]:
            label = f"{name} ({prompts})" if reads and prompts is not Prompts.PUBLISHED else name
            found[label] = PromptedModel(name, prompts)
    return found


@dataclass(frozen=True, slots=True)
class Judging:
    """A combination of a respondent and a judge: the labels of both, and the name of the judge's model."""

    respondent: str
    judge: str
    model: str


def judgings(config: RoundConfig) -> list[Judging]:
    """Return all distinct judgings.

    If a judge's recording has no judgements of a respondent, the judge's fallback judges this respondent, under the
    fallback's name. Labels of the first judging are the same for any `judge_replicates`, so judgings can be added
    later. Responses from a file have the respondent FILE, and each judge judges these responses once.
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
    """Return the names of judges' models by label.

    The label of the first judging is the model's name; later judgings have labels such as `NAME#2`.
    """
    return {one.judge: one.model for one in judgings(config)}


def parses_codes(config: RoundConfig) -> bool:
    """Return whether a response that is exactly one refusal code is classified as this code, without a judge.

    Respondents that answer in plain words are told no codes, and judges always read what they say.
    """
    return not (config.judge_codes or config.is_plain)


def recorded_with(judge: ModelSpec, respondent: ModelSpec) -> bool:
    """Return whether judge and respondent are in the same recording, which then has judgements of all responses."""
    if judge.recording is None or respondent.recording is None or respondent.fallback is not None:
        return False
    return judge.recording[0] == respondent.recording[0]
