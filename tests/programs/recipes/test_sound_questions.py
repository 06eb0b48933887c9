"""Questions of recipes for false premises and granularity: whole names, plain English, one level per passage."""

import pytest

from demur.levers.vocabulary import LeverClass
from demur.programs.rules.recipes.false_premise.phrasing import named
from demur.programs.rules.recipes.registry import Declined
from demur.programs.rules.subjects import SubjectKind, find_subject, passage_subject
from demur.programs.text.analysis import analyse
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import several, single

FALSE = Recipes(LeverClass.FALSE_PREMISE)
GRAIN = Recipes(LeverClass.GRANULARITY)

WORD = single(
    "what is the origin of the word orrin", ("Norse",), "The word Orrin is Norse. Orrin (1701-1744) was a weaver."
)
AGES = several(
    "who is younger Ada Brandt or Hugh Penrose ?",
    ("Ada Brandt",),
    ("Ada Brandt (born 4 May 1961) is a painter. She lives in Selby.", True),
    ("Hugh Penrose (born 9 July 1941) is a printer. He lives in Halden.", True),
)


def test_named_leaves_out_a_word_that_is_only_spoken_of() -> None:
    assert named(analyse(WORD)) is None


def test_named_leaves_out_the_end_of_a_title() -> None:
    base = single(
        "who sang the songs on mind the gale",
        ("Ada Brandt",),
        "Mind the Gale is an album. Ada Brandt sang on Mind the Gale.",
    )
    thing = named(analyse(base))
    assert thing is None or thing.name != "Gale"


def test_false_comparison_names_both_sides() -> None:
    texts = [FALSE.draft(AGES, "Factive Verb Contradiction", seed).question for seed in range(4)]
    assert all(t.endswith("Hugh Penrose is younger than Ada Brandt?") for t in texts)


def test_statement_of_a_century_has_its_article() -> None:
    base = single(
        "The Orrin hound was bred during which century?",
        ("19th century",),
        "The Orrin hound was bred in the 19th century.",
    )
    assert "the 19th century" in FALSE.draft(base, "Phantom Correction").question


def test_bound_is_denied_and_not_raised() -> None:
    base = single(
        "how many towns does brightwater sell to",
        ("more than 50",),
        "Brightwater sells to more than 50 towns. It makes ink.",
    )
    made = FALSE.pull(base, "Wrong Value Presumed").made
    assert isinstance(made, Declined) or "more than 50" in made.question


def test_fabricated_event_takes_the_noun_of_what_is_asked() -> None:
    base = single(
        "What is the name of the song of Selby school?",
        ("Blue Hills",),
        "Blue Hills is the song of Selby school. It is sung in May.",
    )
    question = FALSE.draft(base, "Fabricated Historic Event").question
    assert question.endswith("the name of the song of Selby school?")


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
