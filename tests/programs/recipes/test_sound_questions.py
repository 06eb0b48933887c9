"""Questions of recipes for false premises and granularity: whole names, plain English, one level per passage."""

import pytest

from demur.levers.vocabulary import LeverClass
from demur.programs.rules.recipes.registry import Declined
from demur.programs.rules.subjects import SubjectKind, find_subject, passage_subject
from demur.programs.text.analysis import analyse
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import several, single

GRAIN = Recipes(LeverClass.GRANULARITY)

AGES = several(
    "who is younger Ada Brandt or Hugh Penrose ?",
    ("Ada Brandt",),
    ("Ada Brandt (born 4 May 1961) is a painter. She lives in Selby.", True),
    ("Hugh Penrose (born 9 July 1941) is a printer. He lives in Halden.", True),
)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Brook & Brook starred which actor?", "Brook & Brook is a television series. It starred Hugh Penrose."),
        (
            "The battle in which Orrin fell secured what for Selby?",
            "Orrin fell in the battle of Halden. It secured peace for Selby.",
        ),
    ],
)
def test_find_subject_takes_no_half_of_a_pair_and_no_noun_without_its_clause(question: str, text: str) -> None:
    subject = find_subject(analyse(single(question, ("Hugh Penrose",), text)))
    assert subject is None or subject.phrase.lower() not in {"brook", "the battle"}


def test_find_subject_before_a_player_is_a_team() -> None:
    base = single(
        "What show does a retired Selby Grey player host?",
        ("Night Talk",),
        "He played for the Selby Grey and hosts Night Talk.",
    )
    subject = find_subject(analyse(base))
    assert subject is not None and subject.kind is SubjectKind.TEAM


def test_passage_subject_is_nobodys_friend() -> None:
    base = single("who hid", ("Bea",), "Orrin's old friend Bea Marsh (Ada Brandt) stops in town. Bea hid in the mill.")
    assert passage_subject(analyse(base).passages[0]) is None


def test_named_part_is_not_asked_of_a_comparison() -> None:
    assert isinstance(GRAIN.pull(AGES, "Component of a Named Part").made, Declined)


def test_genus_is_not_put_for_one_of_two_equal_nouns() -> None:
    base = single(
        "What county borders the county in which Selby lies?",
        ("Arn",),
        "Selby lies in Bel. Bel borders Arn in the north.",
    )
    made = GRAIN.pull(base, "Genus-to-Species Mismatch").made
    assert isinstance(made, Declined) or made.question.lower().count("county") != 1


def test_roll_up_note_calls_no_person_it() -> None:
    changed = [GRAIN.draft(AGES, "Roll-up Note Beside the Entry", seed).changed[0] for seed in range(4)]
    assert not any(" it up" in text for text in changed)


def test_coarse_restatement_of_a_code_declines() -> None:
    base = single(
        "What is the area code of Selby?", ("513",), "The area code of Selby is 513. Selby lies in the north."
    )
    assert isinstance(GRAIN.pull(base, "Coarse Restatement Beside the Exact Value").made, Declined)
