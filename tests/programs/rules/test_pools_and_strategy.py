"""Invented values are deterministic and never the answer; strategies change the passages that they should."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.programs.instances import BaseInstance
from demur.programs.rules.edits.pools import (
    change_magnitude,
    invented_organisation,
    invented_person,
    invented_place,
    invented_title,
    shift_date_text,
    shift_number,
)
from demur.programs.rules.edits.statements import dated, state
from demur.programs.rules.edits.strategy import (
    apply_to_answering_signal,
    apply_to_signal_passages,
    choose_noise_passage,
    remove_answer_everywhere,
)
from demur.programs.rules.edits.text import redact
from demur.programs.text import analyse
from tests.programs.rules.bases import ACTRESS, COUNT, LIGHTHOUSE, TOWN, several

SEEDS = st.integers(0, 2**32)


@given(SEEDS)
def test_pools_same_seed_gives_the_same_values(seed: int) -> None:
    for make in (invented_person, invented_place, invented_organisation, invented_title):
        assert make(random.Random(seed)) == make(random.Random(seed))


@given(SEEDS)
def test_shift_number_and_date_give_another_value(seed: int) -> None:
    rng = random.Random(seed)
    for number in analyse(COUNT).main.numbers:
        assert shift_number(number, rng) != number.text
    assert shift_date_text("14 June 1871", rng) != "14 June 1871"
    assert shift_date_text("no date", rng) is None


def test_change_magnitude_keeps_the_way_of_writing() -> None:
    tonnes = next(n for n in analyse(COUNT).main.numbers if n.text == "2.4")
    assert change_magnitude(tonnes) == "2400"


@pytest.mark.parametrize(
    ("base", "value", "said"),
    [
        (LIGHTHOUSE, "2 May 1880", "The Corran lighthouse was built on 2 May 1880."),
        (ACTRESS, "Nora Field", "Nora Field plays the innkeeper in the Long Winter."),
    ],
)
def test_state_question_and_value_become_a_sentence(base: BaseInstance, value: str, said: str) -> None:
    assert state(analyse(base), value) == said


def test_dated_takes_the_right_preposition() -> None:
    assert [dated(v) for v in ("8 June 2001", "1956", "in 1956", "May 2003", "seven")] == [
        "on 8 June 2001",
        "in 1956",
        "in 1956",
        "in May 2003",
        "seven",
    ]


def test_remove_answer_everywhere_takes_noise_along() -> None:
    analysis = analyse(TOWN)
    changed = remove_answer_everywhere(analysis, lambda p: redact(p.text, [m.span for m in p.answers], "a town"))
    assert changed is not None
    assert set(changed) == {2, 3}
    assert remove_answer_everywhere(analysis, lambda p: p.text + " Halden.") is None


def test_apply_to_signal_passages_needs_every_one() -> None:
    analysis = analyse(TOWN)
    changed = apply_to_signal_passages(analysis, lambda p: p.text + " Again.")
    assert changed is not None
    assert set(changed) == {0, 2}
    only_first = apply_to_signal_passages(analysis, lambda p: p.text + "!" if p.index == 0 else None)
    assert only_first is None
    some = apply_to_signal_passages(analysis, lambda p: p.text + "!" if p.index == 0 else None, every=False)
    assert some is not None and set(some) == {0}
    answering = apply_to_answering_signal(analysis, lambda p: p.text + " Again.")
    assert answering is not None and set(answering) == {2}


@given(SEEDS)
def test_choose_noise_passage_never_takes_signal_or_an_answering_one(seed: int) -> None:
    chosen = choose_noise_passage(analyse(TOWN), random.Random(seed))
    assert chosen is not None
    assert chosen.index == 1


def test_choose_noise_passage_none_left_gives_none() -> None:
    base = several("Where is it?", ("Oslo",), ("It is in Oslo.", True), ("Oslo is large.", False))
    assert choose_noise_passage(analyse(base), random.Random(1)) is None
