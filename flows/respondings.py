"""Who answers with which prompts: every respondent has a label of its own, by which scores are told apart."""

from dataclasses import dataclass

from demur.flows.round_config import RoundConfig
from demur.programs.options import Prompts


@dataclass(frozen=True, slots=True)
class Responding:
    """A model that answers, by its name, and the set of prompts that it is asked with."""

    model: str
    prompts: Prompts


def respondings_of(config: RoundConfig) -> dict[str, Responding]:
    """Return who answers, by label: the model's name, and for prompts of ours that too.

    The published prompts go without a word, so that they are the same respondents in rounds with and without ours.
    Models of rules read no prompt and answer once.
    """
    found = {}
    for name in config.roles.respondents:
        by_rule = config.model_spec(name).lane.by_rule
        for prompts in config.response_prompts[:1] if by_rule else config.response_prompts:
            label = name if by_rule or prompts is Prompts.PUBLISHED else f"{name} ({prompts})"
            found[label] = Responding(name, prompts)
    return found
