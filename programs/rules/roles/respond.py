"""The rules lane as respondent: four baselines that every leaderboard needs below its models.

always-answers    the best evidence, whatever it says
always-refuses    one code for everything, the commonest answer of models that refuse too much
lexical-overlap   the best evidence where it shares enough words with the question, else missing information
defect-spotter    looks for the marks of each class of defect, in the order of precedence, else the best evidence
"""

from collections.abc import Callable, Sequence
from typing import Final

from levers.catalogue import Catalogue
from levers.vocabulary import Code
from programs.respondent import NumberedPassage
from programs.rules.analysis.questions import read_question
from programs.rules.roles import Inputs, Outputs, unknown_rules
from programs.rules.roles.defects import spot
from programs.rules.roles.reading import Evidence, evidence, values

Passages = Sequence[NumberedPassage]

ENOUGH_OVERLAP = 0.75


def always_answers(question: str, passages: Passages) -> str:
    """Answer with the best evidence."""
    found = evidence(question, passages)
    return _stated(question, passages, found[0]) if found else passages[0].text


def always_refuses(question: str, passages: Passages) -> str:
    """Refuse for missing information."""
    return Code.MISSING.value


def lexical_overlap(question: str, passages: Passages) -> str:
    """Answer where the best evidence shares enough words with the question and holds what is asked for."""
    found = evidence(question, passages)
    if not found or found[0].overlap < ENOUGH_OVERLAP:
        return Code.MISSING.value
    return _stated(question, passages, found[0])


def defect_spotter(question: str, passages: Passages) -> str:
    """Refuse with the code of the first defect that shows, else answer."""
    code = spot(question, passages)
    return code.value if code else always_answers(question, passages)


RULES: Final[dict[str, Callable[[str, Passages], str]]] = {
    "always-answers": always_answers,
    "always-refuses": always_refuses,
    "lexical-overlap": lexical_overlap,
    "defect-spotter": defect_spotter,
}


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return the response of one of the baselines."""
    if which not in RULES:
        raise unknown_rules(which, RULES)
    return {"response": RULES[which](inputs["question"], inputs["passages"])}


def _stated(question: str, passages: Passages, best: Evidence) -> str:
    """The evidence as a response: its sentence, cited where there are several passages."""
    asked = read_question(question)
    text = best.sentence.text.strip()
    candidates = list(dict.fromkeys(values(asked, best.passage, best.sentence)))
    if len(passages) == 1 and len(candidates) == 1:
        return candidates[0]
    return text if len(passages) == 1 else f"{text} [{best.passage.index}]"
