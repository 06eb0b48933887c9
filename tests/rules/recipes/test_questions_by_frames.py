"""Levers of Ambiguity, Granularity and Epistemic: what they make of bases, and where they decline."""

import random
import re

import pytest

from demur.levers.frames import Style
from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import LeverClass
from demur.rules.corpus import Corpus
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, find_operator
from demur.rules.topics import topics
from demur.text.analysis import analyse
from tests.rules.recipes.drafts import Recipes, levers_of
from tests.text.bases import several, single

AMBIGUITY, GRAIN, EPISTEMIC = (Recipes(c) for c in (LeverClass.AMBIGUITY, LeverClass.GRANULARITY, LeverClass.EPISTEMIC))
FILM = single(
    "who directed low tide",
    ("Peter Quill",),
    "Low Tide is a 1994 drama film directed by Peter Quill, and starring Martin Penrose. It was released on 5 May 1994."
    " "
    "Low Tide was shot near Selby.",
)
OTHER = single(
    "who directed high summer",
    ("Ruth Lund",),
    "High Summer is a 1988 comedy film directed by Ruth Lund. It was released in June 1988 and was shot near Halden.",
)
OPENED = single(
    "when was the corran mill opened to the public",
    ("5 May 1994",),
    "The Corran Mill is a museum. It was opened to the public on 5 May 1994. It was built in 1802 and closed in 1999.",
)


def pulled(base: BaseInstance, name: str, seed: int = 1) -> Draft | Declined:
    """Pull one lever of any class with a corpus of both films."""
    lever = next(lv[name] for c in LeverClass if name in (lv := levers_of(c)))
    assert lever.recipe is not None
    corpus = Corpus.of([FILM, OTHER, OPENED])
    return find_operator(lever.recipe)(Pull(analyse(base), lever, Style.TERSE, random.Random(seed), corpus))


def draft(base: BaseInstance, name: str, seed: int = 1) -> Draft:
    made = pulled(base, name, seed)
    assert isinstance(made, Draft), made
    return made


@pytest.mark.parametrize(
    ("base", "name", "expected"),
    [
        (FILM, "Short Counterfactual Inquiry", "if somebody else had directed low tide"),
        (OPENED, "Short Counterfactual Inquiry", "if the corran mill had never been opened to the public"),
        (OPENED, "Counterfactual Necessity", "would the corran mill have been opened to the public"),
        (OPENED, "Mood Asked of a Neutral Record", "that the corran mill was opened to the public"),
        (OPENED, "Century vs. Millisecond", "millisecond"),
        (FILM, "Recommendation from a Listing", "low tide"),
        (FILM, "Genome Detail from Species Count", "dna sequence of the person who directed low tide"),
        (OPENED, "Part-of-part Detail", "the corran mill"),
        (FILM, "Dominant-sense Polysemy", "who shot low tide"),
        (FILM, "Collapsed Search Query", "low tide"),
    ],
)
def test_lever_asks_in_the_register_of_the_question(base: BaseInstance, name: str, expected: str) -> None:
    made = draft(base, name)
    assert expected in made.question
    assert made.question == made.question.lower()
    assert made.changed == {}


APART = single(
    "who designed the corran mill",
    ("Peter Quill",),
    "The Corran Mill was designed by Peter Quill. It was leased by Martin Penrose and was closed in 1994.",
)


def test_either_or_names_another_person_of_the_passage_and_leaves_it_open() -> None:
    made = draft(APART, "Sluiced-Wh Ambiguity")
    assert "designed by either Peter Quill or Martin Penrose; " in made.changed[0]
    assert made.question == APART.question


def test_either_or_stands_in_the_brackets_that_the_answer_ends() -> None:
    base = single("when did ned corbin die", ("1990",), "Ned Corbin (a cook who died in 1990) was born in Orlo.")
    text = draft(base, "Sluiced-Wh Ambiguity").changed[0]
    assert re.fullmatch(r"Ned Corbin \(a cook who died in 1990 or \d{4}; [a-z ]+\) was born in Orlo\.", text)


def test_either_or_passes_over_people_whom_the_passage_names_in_another_role() -> None:
    text = "Low Tide is a drama film directed by Peter Quill. The actor Martin Penrose praised it."
    made = draft(single("who directed low tide", ("Peter Quill",), text), "Sluiced-Wh Ambiguity").changed[0]
    assert re.search(r"directed by either Peter Quill or (?!Peter)\w+ Quill; [a-z ]+\. The actor Martin", made)


def test_two_people_stand_before_a_pronoun_for_the_answer() -> None:
    text = draft(APART, "Dual-eligible Pronoun").changed[0]
    assert text.startswith("Peter Quill and Martin Penrose ")
    assert "designed by him. It" in text
    besides = draft(FILM, "Dual-eligible Pronoun").changed[0]  # the sentence names Martin Penrose in another role
    assert re.match(r"Peter Quill and (?!Peter)\w+ Quill .* directed by him, and starring Martin Penrose\.", besides)


def test_namesake_is_a_whole_entry_of_the_corpus_under_the_name_of_the_question() -> None:
    text = draft(FILM, "Unmarked Namesake").changed[0]
    assert "\n1. Low Tide is a 1994 drama film" in text
    assert "\n2. Low Tide is a 1988 comedy film directed by Ruth Lund." in text
    assert "High Summer" not in text


def test_time_basis_is_what_the_words_around_a_date_are_dated_by_in_two_ways() -> None:
    said = r"on 5 May 1994 \(by the first visitors; 5 (?:June|July) 1994 by the official opening, and both dates are"
    assert re.search(said, draft(OPENED, "Unstated Time Basis").changed[0])
    met = single("when did they meet", ("5 May 1994",), "They met in Halden on 5 May 1994.")
    assert isinstance(pulled(met, "Unstated Time Basis"), Declined)


def test_time_basis_is_the_other_calendar_where_there_were_two() -> None:
    met = single("when did they meet", ("5 May 1694",), "They met in Halden on 5 May 1694.")
    assert re.search(
        r"5 May 1694 \([a-z ]+; 15 May 1694 [a-z ]+, and both", draft(met, "Unstated Time Basis").changed[0]
    )


def test_chain_of_pronouns_stands_between_two_people_and_what_is_asked() -> None:
    text = draft(APART, "Multi-Sentence Coreference Chain").changed[0]
    assert text.startswith("Peter Quill") and "Martin Penrose" in text
    assert re.search(r"\. [^.]*\bhe\b[^.]*\. The Corran Mill was designed by him\.", text)


def test_answer_that_stands_twice_or_in_a_list_has_no_rival() -> None:
    twice = single(
        FILM.question, ("Peter Quill",), FILM.passages[0].text + " The film that Peter Quill directed was Low Tide."
    )
    listed = single(FILM.question, ("Peter Quill",), "Low Tide was directed by Peter Quill and Martin Penrose.")
    for base in (twice, listed):
        made = pulled(base, "Dual-eligible Pronoun")
        assert isinstance(made, Declined)
        assert made.reason is DeclineReason.NO_RIVAL


def test_repeated_subject_becomes_a_pronoun_where_another_name_stands_before() -> None:
    text = "Peter Quill met Martin Penrose in Selby. Quill went home in 1901."
    made = draft(single("who met penrose", ("Selby",), text), "Salient-antecedent Pronoun")
    assert made.changed[0] == "Peter Quill met Martin Penrose in Selby. He went home in 1901."


def test_figure_that_others_of_its_sentence_may_tell_has_no_rival() -> None:
    text = "The town had 120 mills. They rose from 100 to 120 mills, 20 more than before."
    base = single("how many mills did the town have", ("120",), text)
    assert isinstance(pulled(base, "Unstated Time Basis"), Declined)
    assert isinstance(pulled(base, "Sluiced-Wh Ambiguity"), Declined)


def test_low_granularity_leaves_every_sentence_as_it_was() -> None:
    for name in ("Roll-up Note Beside the Entry", "Breadcrumb Broader than the Passage"):
        assert FILM.passages[0].text in draft(FILM, name).changed[0]
    parts = draft(FILM, "Component of a Named Part")
    assert "\nLow Tide was shot near Selby." in parts.changed[0] or "\nIt was released" in parts.changed[0]


def test_same_year_is_asked_of_all_things_of_the_kind() -> None:
    asked = draft(FILM, "Micro-to-Macro Proportion").question
    assert "drama films were released in the same year as" in asked or "works ever made were directed by" in asked


def test_question_without_a_described_thing_declines_what_is_asked_of_one() -> None:
    base = single("what is essential for a project", ("money",), "For a project money is essential. It is spent.")
    for name in ("Forecast without Model", "Final Purpose of an Entry", "Particle Census of a Named Thing"):
        assert isinstance(pulled(base, name), Declined)


BANDS = several(
    "Are Local Arn and Two Bells both from Selby?",
    ("yes",),
    ("Local Arn is a rock band from Selby. It was formed in 1950.", True),
    ("Two Bells is a rock band from Selby. It has four members.", True),
    ("High Street Five is a rock band from Halden. It was formed in 1960.", False),
)


LED = several(
    "In which year was the writer of Low Water born?",
    ("1950",),
    ("Low Water is a novel of 1981. It was written by Peter Quill and set in Halden.", True),
    ("Peter Quill (born 4 May 1950) is a composer and writer. He wrote two novels about the coast of his youth.", True),
    ("Selby is a town with a mill. It lies on the coast.", False),
)
NAMESAKE = single(
    "when was martin lund born",
    ("1948",),
    "Martin Lund (born 6 June 1948) is a composer and writer. He wrote three operas and a book about the sea.",
)


def test_second_bearer_of_the_name_that_leads_to_the_answer_is_an_entry_of_the_corpus() -> None:
    lever = next(lv["Unmarked Namesake"] for c in LeverClass if "Unmarked Namesake" in (lv := levers_of(c)))
    pull = Pull(analyse(LED), lever, Style.TERSE, random.Random(1), Corpus.of([LED, NAMESAKE]))
    made = find_operator("ambiguity.namesake")(pull)
    assert isinstance(made, Draft), made
    assert set(made.changed) == {1} and made.changed[1].count("Peter Quill (born") == 2
    assert "1950" in made.changed[1] and "1948" in made.changed[1]


def test_comparison_of_two_things_that_a_yes_or_no_asks_about_leaves_out_in_what() -> None:
    base = several(
        "Are Ned Corbin and Emma Perrin both rowers?",
        ("yes",),
        ("Ned Corbin (born 4 May 1950) is a rower. He won 12 races.", True),
        ("Emma Perrin (born 9 June 1958) is a rower. She won 30 races.", True),
        ("Selby is a town with a mill. It lies on the coast.", False),
    )
    asked = draft(base, "Comparative Subdeletion").question
    assert asked.startswith("Which of the two ") and asked.endswith(", Ned Corbin or Emma Perrin?")


def test_person_whom_the_passage_goes_on_naming_has_a_second_value_of_the_same_last_name_beside() -> None:
    text = APART.passages[0].text + " Quill wrote it in a year. The songs are by Quill too."
    made = draft(single(APART.question, ("Peter Quill",), text), "Sluiced-Wh Ambiguity").changed[0]
    assert re.search(r"by either Peter Quill or (?!Peter)\w+ Quill; ", made)
    full = single(APART.question, ("Peter Quill",), f"{text} Peter Quill is from Orlo.")
    assert isinstance(pulled(full, "Sluiced-Wh Ambiguity"), Declined)


@pytest.mark.parametrize("named", ["President of Selbyland", "Americans"])
def test_office_or_people_is_no_topic(named: str) -> None:
    base = single(f"Who met the {named} in 1960?", ("Ada Brandt",), f"The {named} met Ada Brandt in 1960.")
    assert named not in {t.bare for t in topics(analyse(base))}
