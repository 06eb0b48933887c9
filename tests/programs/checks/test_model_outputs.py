"""The checks on what language models write: longer rewrites, other words, chatter, translations, other spellings."""

import pytest

from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation, Stratum
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import AnswerFate, Intensity, LeverClass, Target
from demur.programs.checks.changes import Outcome
from demur.programs.checks.run import check
from tests.text.bases import single

TEXT = (
    "The Severin Bridge is a cable-stayed bridge in Cologne. It was designed by architect Gerd Lohmer and the office "
    "of Fritz Leonhardt and opened on 7 November 1959. Twelve cables carry the deck from a single A-shaped tower near "
    "the eastern bank. The bridge was widened in 1980 to carry the city's light rail."
)


def base(question: str, *answers: str) -> BaseInstance:
    return single(question, answers, TEXT)


WHO = base("Who designed the Severin Bridge?", "Gerd Lohmer", "Lohmer")


def a_lever(lever_class: LeverClass, intensity: Intensity, answer: AnswerFate, target: Target) -> Lever:
    return next(
        lever
        for lever in load_catalogue().stratum(lever_class, intensity)
        if (lever.answer, lever.target) == (answer, target)
    )


REMOVES = a_lever(LeverClass.MISSING_INFO, Intensity.MEDIUM, AnswerFate.REMOVED, Target.CONTEXT)
CONFLICTS = a_lever(LeverClass.CONTRADICTION, Intensity.MEDIUM, AnswerFate.RIVALLED, Target.CONTEXT)
ASKS = next(
    lever
    for lever in load_catalogue().stratum(LeverClass.AMBIGUITY, Intensity.LOW)
    if lever.target in (Target.QUERY, Target.QUERY_OR_CONTEXT)
)


def outcomes(of: BaseInstance, lever: Lever, question: str | None = None, text: str | None = None) -> dict[str, str]:
    """Every check's outcome by name."""
    changed = (ChangedPassage(index=0, text=text),) if text else ()
    perturbation = Perturbation(question=question or of.question, changed=changed, lever=lever.name)
    stratum = Stratum(lever_class=lever.lever_class, intensity=lever.intensity)
    return {result.name.value: result.outcome.value for result in check(of, perturbation, lever, stratum)}


def failing(of: BaseInstance, lever: Lever, question: str | None = None, text: str | None = None) -> set[str]:
    return {name for name, outcome in outcomes(of, lever, question, text).items() if outcome == Outcome.FAIL}


@pytest.mark.parametrize(
    "question",
    [
        "Here is the perturbed query: Who designed the Severin Bridge in Cologne?",
        "**Perturbed Query:** Who designed the Severin Bridge in Cologne?",
        "### Who designed the Severin Bridge in Cologne?",
        "```\nWho designed the Severin Bridge in Cologne?\n```",
        '"question": Who designed the Severin Bridge in Cologne?',
        "Sure! Who designed the Severin Bridge in Cologne?",
        "Who designed the Severin Bridge in Cologne? (LOW intensity)",
        "Who designed the Severin Bridge in Cologne? Explanation: the city was added.",
        "Who designed the Severin Bridge in Cologne?\n\nNote: this question is ambiguous on purpose.",
        "[AMBIGUOUS] Who designed the Severin Bridge in Cologne?",
        "Who designed the Severin Bridge in Cologne? The answer remains derivable.",
        "The question with the ambiguity introduced: who designed the Severin Bridge in Cologne?",
    ],
)
def test_no_leak_chatter_around_a_question_fails(question: str) -> None:
    assert "no_leak" in failing(WHO, ASKS, question=question)


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("architect Gerd Lohmer and ", "") + " (Note: the name of the architect has been removed.)",
        TEXT.replace("architect Gerd Lohmer and ", "") + " The passage no longer mentions the answer.",
        "[This passage was intentionally left blank.] " + TEXT.replace("architect Gerd Lohmer and ", ""),
        "Modified passage: " + TEXT.replace("architect Gerd Lohmer and ", ""),
    ],
)
def test_no_leak_remark_in_a_passage_fails(text: str) -> None:
    assert "no_leak" in failing(WHO, REMOVES, text=text)


def test_no_leak_words_that_only_look_like_it_fail_nothing() -> None:
    for question in (
        "Who designed the Severin Bridge, and what was the reasoning behind its single tower?",
        "Sure-footed or not, who designed the Severin Bridge?",
        "Regarding the low, wide crossing near the eastern bank: who designed the Severin Bridge?",
    ):
        assert "no_leak" not in failing(WHO, ASKS, question=question)


@pytest.mark.parametrize(
    "question",
    [
        "Wer hat die Severinsbrücke entworfen?",
        "¿Quién diseñó el puente Severin en Colonia?",
        "Qui a conçu le pont Severin dans la ville de Cologne?",
    ],
)
def test_language_translated_question_fails(question: str) -> None:
    assert "length_and_language" in failing(WHO, ASKS, question=question)


def test_language_one_translated_sentence_fails_and_a_foreign_name_does_not() -> None:
    german = " Ein anderes Dokument der Stadt nennt den Architekten Hans Voss als Urheber der Brücke."
    assert "length_and_language" in failing(WHO, CONFLICTS, text=TEXT + german)
    named = (
        " The Amt für Brücken, Tunnel und Stadtbahnbau, however, credits the design of the Severin Bridge to Hans Voss."
    )
    assert "length_and_language" not in failing(WHO, CONFLICTS, text=TEXT + named)


@pytest.mark.parametrize(
    ("lever_id", "question"),
    [
        (
            "ambiguity.possessive-split-disambiguated",
            "For Ida and Tom's quiz, one that they share: who designed the Severin Bridge?",
        ),
        (
            "ambiguity.late-resolving-garden-path",
            "The guide hurried past the tower asked: who designed the Severin Bridge?",
        ),
    ],
)
def test_target_mild_ambiguity_of_a_side_remark_may_stand_in_the_question(lever_id: str, question: str) -> None:
    lever = load_catalogue().lever(lever_id)
    assert not failing(WHO, lever, question=question)
    assert failing(WHO, lever, question=question, text=TEXT + " Trams cross it.") == {"target_only"}


def test_lever_in_stratum_one_that_was_not_on_offer_fails() -> None:
    perturbation = Perturbation(question="Who, then, designed the Severin Bridge?", lever=ASKS.name)
    stratum = Stratum(lever_class=ASKS.lever_class, intensity=ASKS.intensity)
    passed, failed = (
        check(WHO, perturbation, ASKS, stratum, offered=offered)[0].outcome for offered in ([ASKS.id], ["other.lever"])
    )
    assert (passed, failed) == (Outcome.PASS, Outcome.FAIL)
