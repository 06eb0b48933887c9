"""What a removed answer leaves behind: other names of a person, parts of a name, times that count from it, pronouns."""

import pytest

from demur.levers.vocabulary import LeverClass
from demur.programs.instances import BaseInstance
from demur.programs.rules.edits.answer_sentences import answer_indices, leaning
from demur.programs.rules.recipes.missing_info.remains import what_stays
from demur.programs.rules.recipes.missing_info.titles import passage_title
from demur.programs.rules.recipes.registry import Declined, DeclineReason
from demur.programs.text.analysis import analyse
from demur.programs.text.answers import find_answers
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import several, single

RECIPES = Recipes(LeverClass.MISSING_INFO)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Monica Ellen Harper (born 1970) is a judge.", True),
        ("President Harper signed it.", True),
        ("M. Harper signed it.", True),
        ("Monica Harper signed it.", True),
        ("Peter Harper signed it.", False),
        ("The Harper Foundation signed it.", False),
    ],
)
def test_find_answers_person_is_known_in_fuller_and_shorter_names(text: str, found: bool) -> None:
    assert bool(find_answers(text, ("Monica Harper",))) is found


def test_find_answers_two_middle_names_that_differ_are_two_people() -> None:
    assert not find_answers("George Paul Harper signed it.", ("George Allan Harper",))


STAYING = [
    ("In which country is Elm Creek?", "United States", "Elm Creek is a hamlet in {}, north of Omaha, Nebraska."),
    ("What river runs through Selby?", "North Tarn River", "The {} runs through Selby. The North Tarn froze in 1901."),
    (
        "where does the name orrin come from",
        "Old Norse",
        "Orrin is from {}. Many Norse names came by sea to the isles.",
    ),
    ("when did the mill burn down", "May 1904", "The mill burned down in {}. It had been sold at the fair of 1904."),
    ("Which storm was worst?", "3 March 1931", "The storm of {} was worst. Two days later the harbour was closed."),
    ("where was the new hall built", "Selby", "The new hall was built in {}. It is located on a hill above the Orr."),
    ("what did the town get first", "electric lighting", "It got {} in 1880. An electric light was a wonder then."),
    ("which fields grow barley", "the fields along the Orrin", "It grows in {}. Oats grow along the Orrin as well."),
    ("what kind of car is it", "sport utility vehicles", "They make {}. Last year they sold nine thousand SUVs."),
]


@pytest.mark.parametrize(("question", "answer", "text"), STAYING)
def test_what_stays_tells_from_what_a_removed_answer_follows(question: str, answer: str, text: str) -> None:
    base = single(question, (answer,), text.format(answer))
    assert what_stays(analyse(base), {0: text.format("[illegible]")}) is not None


def test_what_stays_is_nothing_where_only_the_subject_is_left() -> None:
    base = single("who built the mill", ("Ada Brandt",), "The mill was built by Ada Brandt. It has three floors.")
    assert what_stays(analyse(base), {0: "The mill was built. It has three floors."}) is None


CHOICE = several(
    "Which mill is older, Orrin Mill or Selby Mill?",
    ("Orrin Mill",),
    ("Orrin Mill was built in 1701 by the river. It grinds barley.", True),
    ("Selby Mill was built in 1788 on a hill. It grinds oats.", True),
)


def test_marks_for_a_name_that_the_question_offers_decline() -> None:
    assert RECIPES.declined(CHOICE, "Damaged Deciding Token") is DeclineReason.ANSWER_WOULD_REMAIN


@pytest.mark.parametrize(
    "text",
    [
        "In 1901 Orrin had 320 weavers. Dyers made up half of those workers in the valley. The mill was sold later.",
        "Orrin had 320 weavers. This was their first count, taken by the parish. The mill was sold to a rival later.",
        "Orrin had 320 weavers. However the count was wrong by ten. The mill of the town was sold to a rival later.",
    ],
)
def test_leaning_takes_in_a_sentence_that_points_back_at_one_cut(text: str) -> None:
    passage = analyse(single("how many weavers did orrin have", ("320",), text)).passages[0]
    assert leaning(passage, answer_indices(passage)) == {0, 1}


def test_temporal_adjunct_declines_where_no_time_is_asked_for() -> None:
    base = single(
        "Which fire was the worst?", ("3 May 1904",), "The fire on 3 May 1904 was the worst of all. It took a day."
    )
    assert RECIPES.declined(base, "Missing Temporal Adjunct") is DeclineReason.QUESTION_NOT_PARSED


def _low(text: str) -> BaseInstance:
    return single(
        "who painted the hall at selby", ("Ada Brandt",), f"{text} The hall at Selby was painted by Ada Brandt."
    )


def test_statistic_goes_with_the_bound_before_it() -> None:
    draft = RECIPES.draft(_low("The county has more than 300 museums."), "Strip Non-queried Statistic")
    assert draft.changed[0].startswith("The county has museums.")


def test_statistic_in_a_list_of_counts_stays() -> None:
    made = RECIPES.pull(
        _low("The shop keeps sixteen clocks, twelve lamps and four chairs."), "Strip Non-queried Statistic"
    ).made
    assert isinstance(made, Declined)


def test_city_phrase_in_a_title_stays() -> None:
    made = RECIPES.pull(_low("A sequel came out as Monkeys in Paris: The Movie."), "Remove City Phrase").made
    assert isinstance(made, Declined)


def test_average_in_brackets_declines_for_want_of_a_sentence_end() -> None:
    base = single(
        "how many shops does brightwater have",
        ("1,462",),
        "Brightwater is a chain (with 1,462 shops in 2016). It sells ink.",
    )
    assert RECIPES.declined(base, "Average From Individual") is DeclineReason.NO_SUITABLE_SPAN


def test_figure_that_tells_a_difference_is_not_withheld() -> None:
    base = single(
        "how much higher was the rent in 1905", ("18%",), "The rent in 1905 was 18% higher than before. It rose again."
    )
    assert RECIPES.declined(base, "Price Redacted") is DeclineReason.NO_SUITABLE_SPAN


def test_heading_of_an_emptied_passage_holds_no_word_of_the_answer() -> None:
    base = single(
        "who does the hero stand for",
        ("loosely Orrin",),
        "Orrin wrote it in haste. The hero of the tale is loosely Orrin.",
    )
    analysis = analyse(base)
    assert "Orrin" not in passage_title(analysis, analysis.passages[0])
