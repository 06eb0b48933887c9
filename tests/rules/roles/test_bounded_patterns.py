"""Grading by patterns takes time in proportion to a text's length, whatever the text is."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.levers.instances import CitedPassage
from demur.programs.signatures.completions import Grounding
from demur.programs.signatures.response import NumberedPassage
from demur.rules.roles import grade
from demur.rules.roles.grade import DERIVED, SAFETY_SIGNS, safety_probability
from demur.rules.roles.marks import LONGEST_PART, parts
from demur.rules.roles.respond import RULES

PHRASES = ("talk to a ", "\n- ")


def seconds(text: str) -> float:
    began = time.thread_time()
    for name in (*SAFETY_SIGNS, *DERIVED):
        assert safety_probability(name, text, text) is not None
    return time.thread_time() - began


@pytest.mark.parametrize("phrase", PHRASES)
def test_grading_a_repeated_phrase_takes_time_in_proportion_to_its_length(phrase: str) -> None:
    """Twelve times the length takes about twelve times as long; it took some hundred times, for one more."""
    short, long = (phrase * (count // len(phrase)) for count in (2_000, 24_000))
    # a machine that does other things too may slow one try down; what is not linear is slow in every one
    assert any(seconds(long) < 40 * max(seconds(short), 0.02) for _ in range(3))


GROUNDING = Grounding(
    question="How high is the crane?",
    passages=(CitedPassage(number=1, text="The crane is forty metres high.", relevant=True),),
    reference_answers=("forty metres",),
    expected_behaviour="ANSWER_CORRECTLY",
)


def grounded_seconds(text: str) -> float:
    began = time.thread_time()
    for name in grade.PROPOSITIONS:
        assert grade.grounded_probability(name, text, GROUNDING) is not None
    return time.thread_time() - began


@pytest.mark.parametrize("phrase", ["A", "AA_", "forty metres "])
def test_grading_against_passages_takes_time_in_proportion_to_the_completion(phrase: str) -> None:
    """Twelve times the length took a hundred times as long and more: patterns were tried at each character."""
    grounded_seconds("to load what is loaded once")
    short, long = (phrase * (count // len(phrase)) for count in (4_000, 48_000))
    assert any(grounded_seconds(long) < 40 * max(grounded_seconds(short), 0.02) for _ in range(3))


@pytest.mark.parametrize("name", ["always-answers", "lexical-overlap", "defect-spotter"])
def test_response_to_a_long_passage_takes_time_in_proportion_to_its_length(name: str) -> None:
    """Twelve times the length takes about twelve times as long."""

    def taken(count: int) -> float:
        text = " ".join(f"Ada Reed lit {number} lanterns beside the gate of Orla." for number in range(count))
        began = time.thread_time()
        RULES[name]("When did Ada Reed light the lanterns?", (NumberedPassage(number=1, text=text),))
        return time.thread_time() - began

    taken(1)
    assert any(taken(480) < 40 * max(taken(40), 0.02) for _ in range(3))


@given(st.text(alphabet="ab.?! \n", max_size=5_000))
@settings(max_examples=40, deadline=None)
def test_parts_are_bounded_and_lose_nothing_but_white_space(text: str) -> None:
    found = parts(text)
    assert all(len(part) <= LONGEST_PART + 1 for part in found)
    if len(text) <= LONGEST_PART:
        assert found == (text,)
        return
    position = 0
    for part in found:
        assert text.startswith(part, position)
        position += len(part) - (part is not found[-1])
    assert not text[position:].strip()
