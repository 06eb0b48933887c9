"""Duplicates: what is caught, what is left alone, and that the order of work decides nothing."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.levers.instances import ChangedPassage, Perturbation
from demur.programs.checks.changes import CheckName, Outcome
from demur.programs.checks.duplicates import Made, distinct, duplicate_key, item_key
from tests.text.bases import single

BASE = single(
    "Who built the lighthouse at Orran Head?",
    ("Maren Tolle",),
    "The lighthouse at Orran Head was built by Maren Tolle in 1871. It is open to visitors in summer, and "
    "its lamp can be seen from eleven miles away.",
)


def made(
    name: str, question: str, lever: str = "One Lever", text: str | None = None, released: str | None = None
) -> Made:
    changed = (ChangedPassage(index=0, text=text),) if text else ()
    perturbation = Perturbation(question=question, changed=changed, lever=lever)
    return Made(name, perturbation, duplicate_key(BASE, perturbation), released)


def failing(*several: Made) -> dict[str, str]:
    found = list(distinct(BASE, several))
    assert sorted(one.perturbation_id for one, _ in found) == sorted(one.perturbation_id for one in several)
    assert all(result.name is CheckName.NO_DUPLICATE for _, result in found)
    return {one.perturbation_id: result.evidence for one, result in found if result.outcome is Outcome.FAIL}


def test_duplicate_equal_question_and_passages_keeps_the_smallest_id_whatever_the_lever() -> None:
    found = failing(
        made("b", "Who built the old lighthouse at Orran Head?", "Another Lever"),
        made("a", "Who built the old lighthouse at Orran Head?"),
    )
    assert list(found) == ["b"]
    assert "perturbation a has the same question and passages" in found["b"]


def test_duplicate_that_differs_in_case_punctuation_and_spacing_is_equal() -> None:
    assert "b" in failing(
        made("a", "Who built the old lighthouse at Orran Head?"),
        made("b", "who built the OLD lighthouse,  at Orran Head"),
    )


def test_duplicate_near_equal_change_by_the_same_lever_is_found_with_its_likeness() -> None:
    said = "According to the keeper's log of that year, the tower was put up by Ilse Varn, not by anybody else"
    found = failing(
        made("a", BASE.question, text=f"{BASE.passages[0].text} {said}."),
        made("b", BASE.question, text=f"{BASE.passages[0].text} {said} at all."),
    )
    assert "pulled 'One Lever' nearly the same way" in found["b"]
    assert " of 100 alike" in found["b"]


def test_duplicate_near_equal_change_by_another_lever_is_left_alone() -> None:
    said = "According to the keeper's log of that year, the tower was put up by Ilse Varn, not by anybody else"
    assert not failing(
        made("a", BASE.question, text=f"{BASE.passages[0].text} {said}."),
        made("b", BASE.question, "Another Lever", text=f"{BASE.passages[0].text} {said} at all."),
    )


def test_duplicate_whole_texts_alike_but_changes_unlike_are_left_alone() -> None:
    assert not failing(
        made("a", BASE.question, text=BASE.passages[0].text.replace("Maren Tolle", "a local mason")),
        made("b", BASE.question, text=BASE.passages[0].text.replace("by Maren Tolle ", "")),
    )


def test_duplicate_of_an_earlier_release_names_it_and_makes_no_other_fail() -> None:
    question = "Who built the old lighthouse at Orran Head?"
    found = failing(
        made("a", question, released="weekly/3"), made("b", "Who was it that built Orran Head's lighthouse?")
    )
    assert list(found) == ["a"]
    assert "release weekly/3" in found["a"]


@given(st.lists(st.sampled_from(["q one?", "Q one", "q two?", "q three?"]), max_size=8), st.randoms())
def test_duplicate_results_do_not_depend_on_the_order_given(questions: list[str], rng: random.Random) -> None:
    several = [made(f"p{number}", question, f"Lever {number}") for number, question in enumerate(questions)]
    shuffled = several[:]
    rng.shuffle(shuffled)
    assert failing(*several) == failing(*shuffled)
    kept = [one for one in several if one.perturbation_id not in failing(*several)]
    assert {one.content_key for one in kept} == {one.content_key for one in several}
    assert len({one.content_key for one in kept}) == len(kept)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (("Who?", ("A b.",)), ("who", ("a  B",)), True),
        (("Who?", ("A b.",)), ("Who?", ("A c.",)), False),
        (("Who?", ("a", "b")), ("Who?", ("a b",)), False),
    ],
)
def test_item_key_is_of_words_and_of_the_passages_they_stand_in(
    one: tuple[str, tuple[str, ...]], other: tuple[str, tuple[str, ...]], equal: bool
) -> None:
    assert (item_key(*one) == item_key(*other)) is equal
