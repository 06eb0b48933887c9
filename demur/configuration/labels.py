"""Labels of those who answer and those who judge, by which scores are kept apart."""

from dataclasses import dataclass

from demur.configuration.round_config import RoundConfig
from demur.programs.options import Prompts


@dataclass(frozen=True, slots=True)
class PromptedModel:
    """A model that answers, by its name, and the set of prompts that it is asked with."""

    model: str
    prompts: Prompts


def labelled_respondents(config: RoundConfig) -> dict[str, PromptedModel]:
    """Return who answers, by label: the model's name, and for prompts of ours that too.

    The published prompts go without a word, so that they are the same respondents in rounds with and without ours.
    Models of rules read no prompt and answer once.
    """
    found = {}
    for name in config.roles.respondents:
        by_rule = config.model_spec(name).lane.by_rule
        for prompts in config.response_prompts[:1] if by_rule else config.response_prompts:
            label = name if by_rule or prompts is Prompts.PUBLISHED else f"{name} ({prompts})"
            found[label] = PromptedModel(name, prompts)
    return found


def labelled_judges(config: RoundConfig) -> dict[str, str]:
    """Return the judge of each judging, by its label: the judge's name, from the second judging on with its number.

    A first judging is the same unit of work however many follow, so that more of them may be asked for later.
    """
    names = config.roles.judges
    return {name: name for name in names} | {
        f"{name}#{number}": name for number in range(2, config.judge_replicates + 1) for name in names
    }
