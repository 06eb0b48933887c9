"""What code finds wrong with questions that were asked of passages, before anybody pays for proving them."""

from typing import Any

import pytest

from demur.levers.instances import AskedQuestion
from demur.levers.vocabulary import QuestionKind
from demur.programs.checks.duplicates import KnownQuestions
from demur.programs.checks.questions import CheckedQuestion, QuestionCheck, check_question, gives_answer

BRIDGE = "Orla Bridge > History\nIt was designed by Ada Brandt. The bridge opened on 3 May 1912 and carries trams."
FERRY = "Orla ferry\nThe ferry closed in 1913, a year after the bridge had opened."


def checked(passages: tuple[str, ...] = (BRIDGE,), language: str | None = "en", **changed: Any) -> CheckedQuestion:
    fields: dict[str, Any] = {
        "question": "Who designed the Orla Bridge?",
        "answers": ("Ada Brandt",),
        "proof": ("It was designed by Ada Brandt.",),
        "kind": QuestionKind.WHO,
    }
    return check_question(AskedQuestion(**{**fields, **changed}), passages, language)


def failed(one: CheckedQuestion) -> set[QuestionCheck]:
    return {fault.check for fault in one.faults}


def test_sound_question_has_no_fault_and_knows_where_its_proof_stands() -> None:
    one = checked()
    assert not one.faults
    assert [BRIDGE[span.start : span.end] for span in one.proof] == ["It was designed by Ada Brandt."]


@pytest.mark.parametrize(
    ("changed", "check"),
    [
        ({"proof": ("It was drawn by Ada Brandt.",)}, QuestionCheck.PROOF_IN_PASSAGE),
        ({"proof": ()}, QuestionCheck.PROOF_IN_PASSAGE),
        ({"answers": ("Ruth Brandt",)}, QuestionCheck.ANSWER_IN_PROOF),
        ({"answers": ()}, QuestionCheck.ANSWER_LENGTH),
        ({"answers": ("Ada Brandt", "word " * 20)}, QuestionCheck.ANSWER_LENGTH),
        ({"question": "Did Ada Brandt design the Orla Bridge?"}, QuestionCheck.ANSWER_NOT_GIVEN_AWAY),
        ({"question": "Who designed the Orla Bridge? And when was that?"}, QuestionCheck.QUESTION_LENGTH),
        ({"question": "Designer?"}, QuestionCheck.QUESTION_LENGTH),
        ({"question": "Wer hat die Orla-Brücke entworfen, und wann wurde sie eröffnet?"}, QuestionCheck.LANGUAGE),
    ],
)  # fmt: skip
def test_faulty_question_fails_the_check_of_its_fault(changed: dict[str, Any], check: QuestionCheck) -> None:
    assert check in failed(checked(**changed))


def test_answer_of_the_proof_stands_first_and_spellings_once() -> None:
    one = checked(
        question="When did the Orla Bridge open?",
        answers=("May 3rd, 1912", "3 May 1912", "3 MAY 1912."),
        proof=("The bridge opened on 3 May 1912 and carries trams.",),
        kind=QuestionKind.WHEN,
    )
    assert one.answers == ("May 3rd, 1912", "3 May 1912")
    assert not one.faults, "in English another spelling of a day counts as standing there"
    german = checked(answers=("die Brandt", "Ada Brandt"), language="de", question="Wer entwarf die Orla Bridge?")
    assert german.answers[0] == "Ada Brandt"


def test_choice_may_name_its_answer_and_yes_or_no_need_not_stand_there() -> None:
    choice = checked(question="Did Ada Brandt or Ruth Vale design the Orla Bridge?", kind=QuestionKind.WHICH_OF)
    polar = checked(
        question="Does the Orla Bridge carry trams?",
        answers=("yes",),
        proof=("The bridge opened on 3 May 1912 and carries trams.",),
        kind=QuestionKind.YES_NO,
    )
    assert not choice.faults
    assert not polar.faults


def test_question_of_two_passages_needs_a_proof_in_each() -> None:
    one = checked(
        passages=(BRIDGE, FERRY),
        question="Did the Orla ferry close before or after Ada Brandt's bridge opened?",
        answers=("after",),
        proof=("The ferry closed in 1913, a year after the bridge had opened.",),
        kind=QuestionKind.WHICH_OF,
    )
    assert QuestionCheck.PROOF_OF_EACH in failed(one)


def test_chinese_question_is_measured_and_proved_without_spaces() -> None:
    one = checked(
        passages=("北京大学成立于1898年，是中国近代第一所国立大学。",),
        language="zh",
        question="北京大学是哪一年成立的？",
        answers=("1898年", "1898"),
        proof=("北京大学成立于1898年，是中国近代第一所国立大学。",),
        kind=QuestionKind.WHEN,
    )
    assert not one.faults


def test_known_question_is_found_in_other_words_only_with_the_same_answer() -> None:
    known = KnownQuestions()
    known.add("q1", "When did the Orla Bridge open?", ("1912",), {"p1"})
    assert known.like("when did the orla bridge open", ("3 May",), {"p9"}) == "q1"
    assert known.like("In which year did the Orla Bridge open?", ("1912",), {"p1"}) == "q1"
    assert known.like("When did the Orla Tower open?", ("1934",), {"p1"}) is None
    assert known.like("When was the Riva ferry sold to the town?", ("1912",), {"p2"}) is None


def test_abbreviation_is_not_given_away_by_another_word_of_its_letters() -> None:
    assert not gives_answer("Wer arbeitet mit Ada?", ("MIT",), "de")
    assert not gives_answer("Wissen Sie das?", ("SIE",), "de")
    assert not gives_answer("Can you tell us where?", ("US",), "en")
    assert gives_answer("Ada war am MIT.", ("MIT",), "de")
    assert gives_answer("It was built in the US.", ("US",), "en")
    assert gives_answer("Nasa said so.", ("NASA",), "en")


def test_arabic_proof_stands_in_a_text_with_vowel_marks() -> None:
    one = checked(
        passages=("كَتَبَ الوَلَدُ الدَّرْسَ.",),
        language="ar",
        question="من كتب الدرس في المدرسة؟",
        answers=("الولد",),
        proof=("كتب الولد الدرس.",),
    )
    assert not one.faults
    assert [(span.start, span.text) for span in one.proof] == [(0, "كَتَبَ الوَلَدُ الدَّرْسَ.")]
