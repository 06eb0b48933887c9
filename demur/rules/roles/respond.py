"""The rules lane as respondent: four baselines below every model. One looks for the marks of defects."""

from collections.abc import Callable, Sequence
from typing import Final

from demur.levers.catalogue import Catalogue
from demur.levers.vocabulary import PRECEDENCE, AnswerDoubt, Code, Confidence
from demur.programs.replies.refusal_codes import stated_codes
from demur.programs.signatures.response import NumberedPassage
from demur.rules.edits import as_sentence
from demur.rules.roles import Inputs, Outputs, marks, unknown_rules
from demur.rules.roles.any_language import ENOUGH_OVERLAP, best_overlap, response_of
from demur.rules.roles.marks import impossible
from demur.rules.roles.reading import AskedKind, PassageEvidence, asked_of, chained, evidence, yes_or_no
from demur.rules.roles.reading.evidence import Text
from demur.rules.roles.reading.question_kind import concept_set
from demur.text.lexicon import PRONOUNS

# A reader that looks for the marks of defects in a question and its passages before answering.


READ: Final = 3
LEAST_KNOWN: Final = 0.34
FAINT: Final = frozenset(
    {"that", "this", "it", "will", "would", "if", "all", "culture", "purpose", "taste", "best", "again"}
)
"""Marks that ordinary questions often have; alone they mean nothing."""


def spot(question: str, passages: Sequence[Text]) -> Code | None:
    """Return the code of the class whose marks are found; None if no marks are found.

    If marks of several classes are found, the first of these classes in PRECEDENCE is returned.
    """
    found = evidence(question, passages)
    if not found:
        return Code.MISSING
    read = found[: READ if len(passages) == 1 else 2 * READ]
    return next((code for code in PRECEDENCE if _SPOTTERS[code](question, passages, read)), None)


def _telling(found: frozenset[str]) -> frozenset[str]:
    return found - FAINT


def _known(passages: Sequence[Text]) -> frozenset[str]:
    return frozenset().union(*(concept_set(p.text) for p in passages))


def _premise(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    """Return whether the question contradicts itself, or presupposes something that the passages may not bear out.

    A presupposing phrase is ignored if the passages have all concepts of the question, or if the question has a mark of
    scale or opinion.
    """
    if _telling(impossible(question)):
        return True
    strange = concept_set(question) - _known(passages)
    foreign = marks.granular(question) | marks.epistemic(question)
    return bool(_telling(marks.false_premise(question))) and bool(strange) and not foreign


def _ambiguous(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    around = "\n".join({e.passage.index: e.passage.text for e in read[:READ]}.values())
    return bool(marks.ambiguous(question)) or len(marks.ambiguous_context(around)) >= 2


def _granular(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    """Return whether the question has a word of scale, such as 'average' or 'milliseconds', that no passage has."""
    text = " ".join(p.text.casefold() for p in passages)
    return any(mark not in text for mark in _telling(marks.granular(question)))


def _contradictory(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    """Return whether a sentence of the evidence opposes two statements, or two similar sentences differ in a value."""
    if any(marks.contradicting(e.sentence.text) for e in read):
        return True
    if asked_of(question).kind is AskedKind.THING or len(read) < 2:
        return False
    first = read[0]
    second = read[1]
    alike = concept_set(first.sentence.text) & concept_set(second.sentence.text)
    close = len(alike) >= 0.6 * min(len(concept_set(first.sentence.text)), len(concept_set(second.sentence.text)))
    ours = {c.text for c in first.candidates if c.sure}
    theirs = {c.text for c in second.candidates if c.sure}
    return close and bool(ours) and bool(theirs) and not ours & theirs


def _nonfactual(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    return bool(_telling(marks.epistemic(question)))


def _missing(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    """Return whether the passages seem not to answer the question.

    There are three signs: the passages have few words of the question, a sentence of the evidence says that something
    is not known, or the evidence has no value of the kind that is asked for.
    """
    asked = asked_of(question)
    words = set(asked.words)
    if words and len(words & _known(passages)) < LEAST_KNOWN * len(words):
        return True
    if any(marks.missing(e.sentence.text) and words & concept_set(e.sentence.text) for e in read):
        return True
    typed = asked.kind in (AskedKind.DATE, AskedKind.NUMBER, AskedKind.PERSON)
    return typed and not any(e.candidates for e in read)


_SPOTTERS: Final[dict[Code, Callable[[str, Sequence[Text], Sequence[PassageEvidence]], bool]]] = {
    Code.FALSE_PREMISE: _premise,
    Code.AMBIGUOUS: _ambiguous,
    Code.GRANULARITY: _granular,
    Code.CONTRADICTORY: _contradictory,
    Code.NONFACTUAL: _nonfactual,
    Code.MISSING: _missing,
}


# The rules lane as respondent: four baselines that every leaderboard needs below its models.
#
# - `always-answers` responds with the best evidence, whether it answers the question or not. - `always-refuses`
# responds with one refusal code, the commonest code of models that refuse too much. - `lexical-overlap` responds with
# the best evidence if it shares enough words with the question, else with the code of missing information. - `defect-
# spotter` looks for the marks of each class of defect in the order of precedence. If it finds none, it responds with
# the best evidence.
#
# In other languages than English the evidence is the sentence with most shared words, and the defect-spotter
# declines.


_LEVELS_BY_OVERLAP: Final = (
    (0.8, Confidence.VERY_CONFIDENT),
    (0.6, Confidence.CONFIDENT),
    (0.4, Confidence.SOMEWHAT_CONFIDENT),
    (0.2, Confidence.UNCERTAIN),
)
"""The confidence of a baseline by the smallest share of the question's words in the best evidence."""
Passages = Sequence[NumberedPassage]

CLEAR_WORTH: Final = 4.3
"""Smallest worth of a candidate that is given without its sentence."""
NOTHING_KNOWN: Final = "I do not know."
"""The response of a baseline without passages, since a baseline remembers nothing."""
NOTHING_DERIVED: Final[Outputs] = {
    "asked": "",
    "definitions": (),
    "used": (),
    "steps": "",
    "lacking": ("a reader who computes and concludes; rules find stated answers only",),
    "other_answers": (),
    "answer": None,
}
"""The derivation of every baseline: a rule finds answers that passages state, and no others."""
CLEAR_LEAD: Final = 1.0
"""Smallest lead in worth over all other candidates of a candidate that is given without its sentence."""


def always_answers(question: str, passages: Passages) -> str:
    """Answer with the best evidence."""
    return _from_one(question, passages) if len(passages) == 1 else _from_several(question, passages)


def always_refuses(question: str, passages: Passages) -> str:
    """Refuse for missing information."""
    return Code.MISSING.value


def lexical_overlap(question: str, passages: Passages) -> str:
    """Answer if the best evidence has enough words of the question, else refuse for missing information."""
    found = evidence(question, passages)
    if not found or found[0].overlap < ENOUGH_OVERLAP:
        return Code.MISSING.value
    return always_answers(question, passages)


def defect_spotter(question: str, passages: Passages) -> str:
    """Refuse with the code of the first class whose marks are found; answer if no marks are found."""
    code = spot(question, passages)
    return code.value if code else always_answers(question, passages)


RULES: Final[dict[str, Callable[[str, Passages], str]]] = {
    "always-answers": always_answers,
    "always-refuses": always_refuses,
    "lexical-overlap": lexical_overlap,
    "defect-spotter": defect_spotter,
}


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return the response of one of the baselines, with a line on the confidence if the task asks for it."""
    if which not in RULES:
        raise unknown_rules(which, RULES)
    if task == "AnswerFromMemory":
        return {"response": NOTHING_KNOWN}
    if task == "DeriveAnswer":
        return NOTHING_DERIVED
    if task == "ReviewAnswer":  # asked of the simulator alone
        points = set(inputs["answers"]) <= PRONOUNS
        return {
            "analysis": "Of common words, rules know pronouns alone.",
            "doubt": AnswerDoubt.POINTS.value if points else None,
        }
    question, passages = inputs["question"], inputs["passages"]
    if language := inputs.get("language"):
        best = best_overlap(question, passages, language)
        response = response_of(which, best, passages, language)
        overlap = best.share if best else 0.0
    else:
        response = RULES[which](question, passages)
        overlap = _overlap(question, passages) if task.endswith("Surely") else 0.0
    if task.endswith("Surely"):
        response += f"\nConfidence: {_confidence(which, response, overlap)}"
    return {"response": response}


def _overlap(question: str, passages: Passages) -> float:
    found = evidence(question, passages)
    return found[0].overlap if found else 0.0


def _confidence(which: str, response: str, overlap: float) -> Confidence:
    """Return the confidence of a baseline: the highest if the baseline always answers or always refuses.

    Otherwise the confidence depends on the overlap of the evidence. A refusal of the defect-spotter is confident.
    """
    if which in ("always-answers", "always-refuses"):
        return Confidence.VERY_CONFIDENT
    if stated_codes(response):
        return (
            Confidence.CONFIDENT if which == "defect-spotter" or overlap < ENOUGH_OVERLAP / 2 else Confidence.UNCERTAIN
        )
    for least, level in _LEVELS_BY_OVERLAP:
        if overlap >= least:
            return level
    return Confidence.VERY_UNCERTAIN


def _from_one(question: str, passages: Passages) -> str:
    """Return the possible answer that is clearly the best, else the sentence of the best evidence.

    A yes/no question gets yes or no, followed by this sentence.
    """
    found = evidence(question, passages)
    if not found:
        return passages[0].text.strip() or "Nothing."
    if asked_of(question).kind is AskedKind.YES_NO:
        return f"{yes_or_no(question, found)}. {as_sentence(found[0].sentence.text)}"
    return _outstanding(found[0]) or found[0].sentence.text.strip()


def _outstanding(best: PassageEvidence) -> str | None:
    if not best.candidates:
        return None
    first, *others = best.candidates
    clear = first.worth >= CLEAR_WORTH and not any(first.worth - other.worth < CLEAR_LEAD for other in others)
    return first.text if first.sure and clear else None


def _from_several(question: str, passages: Passages) -> str:
    """Return the best chain of sentences, with citations.

    A chain of one sentence is followed by the next best sentence of the same passage. A yes/no question gets yes or no
    before these sentences.
    """
    chains = chained(question, passages)
    if not chains:
        return passages[0].text.strip() or "Nothing."
    best = chains[0]
    if len(best) == 1:
        here = best[0].passage.index
        second = next((c[-1] for c in chains[1:] if c[-1].passage.index == here), None)
        best = (*best, second) if second else best
    stated = " ".join(f"{as_sentence(e.sentence.text)} [{e.passage.index}]" for e in best)
    if asked_of(question).kind is AskedKind.YES_NO:
        return f"{yes_or_no(question, [c[-1] for c in chains])}. {stated}"
    return stated
