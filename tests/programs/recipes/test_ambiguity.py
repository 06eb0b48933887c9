"""Recipes of P-Ambiguity: what is left open, where, and that LOW leaves nothing open for long."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.levers.vocabulary import Intensity, LeverClass, Target
from demur.programs.instances import BaseInstance, Passage
from demur.programs.rules.edits.style import Style
from demur.programs.rules.recipes.ambiguity.asides_named import respelt
from demur.programs.rules.recipes.ambiguity.material import is_distinct_name
from demur.programs.rules.recipes.registry import DeclineReason
from demur.programs.text.answers import find_answers
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import ACTRESS, COUNT, LIGHTHOUSE, MADE, POLAR, PRIZE, TOWN, single

RECIPES = Recipes(LeverClass.AMBIGUITY)


def test_every_recipe_changes_either_the_question_or_passages() -> None:
    for base in MADE:
        for lever, draft in RECIPES.drafts(base):
            asked, told = draft.question != base.question, bool(draft.changed)
            assert asked != told, lever.name
            assert lever.target is not (Target.CONTEXT if asked else Target.QUERY)


def test_every_changed_question_keeps_the_register() -> None:
    for base in MADE:
        lower = base.question == base.question.lower()
        for lever, draft in RECIPES.drafts(base):
            if draft.question != base.question:
                text = draft.question
                assert (text == text.lower()) is lower or lever.name == "Collapsed Search Query"


def test_context_levers_with_several_passages_change_every_answering_signal_passage_and_no_noise() -> None:
    for lever, draft in RECIPES.drafts(TOWN):
        if draft.changed:
            assert set(draft.changed) == {2}, lever.name


def test_low_keeps_every_word_of_the_passage_and_adds_no_value_of_the_asked_kind() -> None:
    for base in (LIGHTHOUSE, ACTRESS, COUNT, PRIZE):
        for lever, draft in RECIPES.drafts(base):
            if lever.intensity is Intensity.LOW:
                text = draft.changed.get(0, base.passages[0].text)
                assert text.startswith(base.passages[0].text), lever.name
                assert len(find_answers(text, base.answers)) >= 1


def test_namesake_tells_of_two_bearers_each_with_a_value() -> None:
    text = RECIPES.draft(ACTRESS, "Unmarked Namesake").changed[0]
    added = text.removeprefix(ACTRESS.passages[0].text)
    assert re.match(r" (?:There are two|Two) films (?:are )?(?:called|by the name of) The Long Winter", added)
    assert len(re.findall(r"[A-Z]\w+ (?:Ann )?[A-Z]\w+ plays the innkeeper in The Long Winter", added)) == 2
    assert "Rosa Ann Delmar plays the innkeeper" in added


def test_unstated_edition_names_two_versions() -> None:
    shown = single(
        "when did the film salt harvest come out",
        ("1931",),
        "Salt Harvest is a film that came out in 1931. It was shown in Tarn.",
    )
    added = RECIPES.draft(shown, "Unstated Edition").changed[0].removeprefix(shown.passages[0].text)
    assert re.search(r"(?:two|Two) cuts", added)
    assert re.search(r"in the other|for the other cut", added)
    assert "1931" in added


def test_unstated_edition_for_what_does_not_differ_between_versions_declines() -> None:
    assert RECIPES.declined(ACTRESS, "Unstated Edition") is DeclineReason.ANSWER_TYPE


def test_second_sense_is_not_added_where_the_question_tells_the_kind() -> None:
    film = single(
        "who plays the innkeeper in the film salt harvest",
        ("Rosa Ann Delmar",),
        "Salt Harvest is a film. Rosa Ann Delmar plays the innkeeper in it.",
    )
    assert RECIPES.declined(film, "Balanced Polysemy") is DeclineReason.NO_TOPIC


def test_time_basis_moves_a_date_by_one_unit() -> None:
    opened = single(
        "When was the museum of Tarn opened?",
        ("4 June 1962",),
        "The museum of Tarn was opened on 4 June 1962. It shows nets and oars.",
    )
    text = RECIPES.draft(opened, "Unstated Time Basis").changed[0]
    assert "on 4 June 1962" in text
    assert "on 5 June 1962" in text
    assert "local time" in text


def test_sluice_leaves_two_alternatives_of_equal_standing() -> None:
    text = RECIPES.draft(LIGHTHOUSE, "Sluiced-Wh Ambiguity").changed[0]
    assert re.search(r"built on either 14 June 1871 or 14 June 1\d{3}", text)


def test_either_or_scope_lines_up_three_names() -> None:
    text = RECIPES.draft(PRIZE, "Either/Or Coordination Scope").changed[0]
    assert re.search(r"Anna Sorel (?:and|or) \w+ \w+ (?:or|and) \w+ \w+ won it in 1931", text)


def test_dual_pronoun_names_both_people_and_tells_the_fact_of_neither() -> None:
    text = RECIPES.draft(PRIZE, "Dual-eligible Pronoun").changed[0]
    assert "She won it in 1931" in text
    assert text.count("Anna Sorel") == 1


@pytest.mark.parametrize("name", ["Dual-eligible Pronoun", "Multi-Sentence Coreference Chain"])
def test_two_dates_are_named_and_the_fact_is_told_of_either(name: str) -> None:
    text = RECIPES.draft(LIGHTHOUSE, name).changed[0]
    assert len(re.findall(r"14 June 1[89]\d\d", text)) == 2
    assert "14 June 1871" in text
    assert re.search(r"It was then that|in one of the two dates|on one of the two dates", text)


def test_two_things_that_are_no_people_are_named_and_one_of_them_meant() -> None:
    hall = single(
        "Where is the fair of Tarn held?",
        ("Roslin Hall",),
        "The fair of Tarn lasts a week and draws a crowd. It is held in Roslin Hall. Horses and tools are sold there, "
        "and in the evening the band of the fire brigade plays.",
    )
    text = RECIPES.draft(hall, "Dual-eligible Pronoun").changed[0]
    assert re.search(r"Roslin Hall (?:and|is often)|and Roslin Hall|as Roslin Hall", text)
    assert "It is there that the fair of Tarn is held." in text


def test_person_in_a_list_is_told_anew_with_a_pronoun_behind_both_names() -> None:
    cast = single(
        "Who played the miller in Salt Harvest?",
        ("Peter Finch",),
        "Salt Harvest is a film of 1971 about a village by the sea. John Quill, Peter Finch and Ann Delmar (as "
        "his wife) were in the cast, Finch as the miller. The film was shown abroad in the following year.",
    )
    text = RECIPES.draft(cast, "Dual-eligible Pronoun").changed[0]
    assert "He played the miller in Salt Harvest." in text
    assert text.count("Finch") == 1


def test_two_candidates_decline_where_another_date_lies_between_them() -> None:
    ships = single(
        "When did the ship Hector reach Tarn?",
        ("1873",),
        "The first ship reached Tarn in 1870, others in 1871, 1872, 1874, 1875, 1876 and 1869. The ship Hector reached "
        "Tarn in 1873. It had sails of red cloth, and every child of the town came to the quay to look at it.",
    )
    for name in ("Dual-eligible Pronoun", "Sluiced-Wh Ambiguity"):
        assert RECIPES.declined(ships, name) is DeclineReason.NO_SUITABLE_SPAN


def test_time_basis_of_an_old_date_is_the_calendar() -> None:
    signed = single(
        "When was the treaty of Tarn signed?",
        ("4 June 1762",),
        "The treaty of Tarn was signed on 4 June 1762. It was written in two languages.",
    )
    text = RECIPES.draft(signed, "Unstated Time Basis").changed[0]
    assert "15 June 1762" in text
    assert "new calendar" in text


def test_time_basis_of_a_price_declines() -> None:
    ticket = single(
        "What does a seat in Tarn cost?", ("7 euros",), "A seat in Tarn costs 7 euros. A box costs 90 euros."
    )
    assert RECIPES.declined(ticket, "Unstated Time Basis") is DeclineReason.ANSWER_TYPE


def test_either_or_scope_of_what_holds_of_one_declines() -> None:
    first = single(
        "Who was the first winner of the Garton Plate?",
        ("Anna Sorel",),
        "The Garton Plate is old. Anna Sorel won it before anybody else did.",
    )
    assert RECIPES.declined(first, "Either/Or Coordination Scope") is DeclineReason.ANSWER_TYPE


def test_attachment_cascade_keeps_the_question_and_hangs_names_of_the_passage_on_it() -> None:
    question = RECIPES.draft(SERIES, "Attachment Cascade").question
    assert question.startswith("Who does not appear in the harbour league of Tarn ")
    assert len(re.findall(r"\b(?:with|from|by|of|in|beside|at|for|on)\b", question)) >= 6
    assert RECIPES.declined(COUNT, "Attachment Cascade") is DeclineReason.NO_SUITABLE_SPAN


def test_deictic_reference_asks_what_the_passage_offers_more_than_once() -> None:
    choice = BaseInstance(
        question="Which film came out first, Salt Harvest or Paper Lake?",
        answers=("Salt Harvest",),
        passages=(
            Passage(index=0, text="Salt Harvest is a film of 1931.", relevant=True),
            Passage(index=1, text="Paper Lake is a film of 1940.", relevant=True),
            Passage(index=2, text="Iron Field is a film of 1922.", relevant=False),
        ),
    )
    question = RECIPES.draft(choice, "Ambiguous Deictic Reference").question
    assert question == "Which film came out first, this one or that one?"


def test_deictic_reference_in_several_passages_points_and_keeps_the_rest() -> None:
    chain = BaseInstance(
        question="What is the population of the county where Orlo Ford is located?",
        answers=("2,913",),
        passages=(
            Passage(index=0, text="Orlo Ford is a village in Arn County.", relevant=True),
            Passage(index=1, text="Arn County has a population of 2,913.", relevant=True),
            Passage(index=2, text="Elm Beck is a village in Tarn County.", relevant=False),
        ),
    )
    question = RECIPES.draft(chain, "Ambiguous Deictic Reference").question
    assert re.fullmatch(
        r"What is the population of the county where (?:this|that) (?:village|one) is located\?", question
    )


def test_deictic_reference_in_the_only_passage_on_the_subject_declines() -> None:
    assert RECIPES.declined(PRIZE, "Ambiguous Deictic Reference") is DeclineReason.NO_SUITABLE_SPAN


def test_deictic_reference_with_one_thing_to_point_at_declines() -> None:
    lone = single("When was the Tarn bridge opened?", ("1962",), "The Tarn bridge was opened in 1962. It is long.")
    assert RECIPES.declined(lone, "Ambiguous Deictic Reference") is DeclineReason.NO_SUITABLE_SPAN


def test_collapsed_query_keeps_the_subject_and_drops_what_is_asked() -> None:
    question = RECIPES.draft(ACTRESS, "Collapsed Search Query").question
    assert "long winter" in question
    assert "innkeeper" not in question


def test_multi_pronoun_braid_takes_two_people_of_one_gender_from_the_passage() -> None:
    question = RECIPES.draft(PRIZE, "Multi-pronoun Braid").question
    assert "Emma Perrin" in question
    assert "Laura Tate" in question
    assert " she " in question


def test_comparative_subdeletion_without_a_comparison_declines() -> None:
    assert RECIPES.declined(ACTRESS, "Comparative Subdeletion") is DeclineReason.QUESTION_NOT_PARSED


def test_namesake_for_a_yes_or_no_question_declines() -> None:
    assert RECIPES.declined(POLAR, "Unmarked Namesake") in (DeclineReason.ANSWER_TYPE, DeclineReason.NO_TOPIC)


@pytest.mark.parametrize(("name", "variant"), [("Philip Rattigan", "Philip Ratigan"), ("Otto", None), ("Ida", None)])
def test_respelt_changes_an_uncommon_word_or_nothing(name: str, variant: str | None) -> None:
    made_of = respelt(name)
    assert made_of == variant or (variant is None and made_of != name)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(MADE))
def test_two_styles_of_one_seed_do_not_write_alike_everywhere(seed: int, base: BaseInstance) -> None:
    terse = [RECIPES.pull(base, lever.name, seed, Style.TERSE).made for lever in RECIPES.levers]
    fuller = [RECIPES.pull(base, lever.name, seed, Style.ELABORATE).made for lever in RECIPES.levers]
    assert terse != fuller


def test_sluice_in_the_question_names_two_things_and_ends_in_a_bare_question_word() -> None:
    base = single(
        "Where do the trout of Tarn spawn?",
        ("above the weir",),
        "The trout of Tarn spawn above the weir. Ada Finch and Elm Brothers catch them there.",
    )
    draft = RECIPES.draft(base, "Sluiced-Wh Ambiguity")
    assert not draft.changed
    assert draft.question.endswith(", but where?")


def test_two_pronoun_recipes_decline_where_the_question_tells_another_sex() -> None:
    base = single(
        "who plays the queen in salt harvest",
        ("Dakota Finch",),
        "Salt Harvest is a play. Peter Finch plays the queen in it.",
    ).model_copy(update={"answers": ("Peter Finch",)})
    assert RECIPES.declined(base, "Dual-eligible Pronoun") is DeclineReason.NO_SUITABLE_SPAN


def test_pronouns_do_not_leave_the_last_name_behind() -> None:
    base = single(
        "Who won the Garton Plate in 1931?",
        ("Anna Sorel",),
        "Anna Sorel won the Garton Plate in 1931. The prize made Sorel known abroad.",
    )
    made = RECIPES.pull(base, "Dual-eligible Pronoun").made
    assert not hasattr(made, "changed") or "Sorel known" not in made.changed[0]


SERIES = single(
    "Who does not appear in the harbour league of Tarn?",
    ("nobody",),
    "The Harbour League of Tarn was set up by Mary Holt and John Penrose. Ann Delmar, Rose Quist and Lucy Marsh played "
    "in it before the League of Norwick took their places. It is run from Fenmouth.",
)


def test_sluice_in_the_question_hangs_on_something_said_of_two_distinct_names() -> None:
    text = RECIPES.draft(SERIES, "Sluiced-Wh Ambiguity").question
    assert re.search(r"(?:harbour league of Tarn|Harbour League of Tarn)", text)
    assert re.search(r", but who\?$", text)
    assert re.search(r"[Ss]omebody", text)


@pytest.mark.parametrize("name", ["Doctor of Laws", "Drama Series", "European"])
def test_is_distinct_name_of_common_nouns_or_a_people_is_not(name: str) -> None:
    assert not is_distinct_name(name)
    assert is_distinct_name("Mary Holt")


def test_sluice_between_dates_in_a_sequence_leaves_the_sentence_alone() -> None:
    steps = single(
        "When was the toll of Tarn lowered again?",
        ("1990",),
        "In 1988, the toll of Tarn was lowered to two pence, and in 1990, it was lowered again to one penny.",
    )
    assert RECIPES.declined(steps, "Sluiced-Wh Ambiguity") is DeclineReason.NO_SUITABLE_SPAN


@pytest.mark.parametrize("name", ["Center-Embedding Maze", "Multi-pronoun Braid"])
def test_tangles_of_people_take_them_from_the_passage_or_decline(name: str) -> None:
    assert RECIPES.declined(COUNT, name) is DeclineReason.NO_SUITABLE_SPAN
    text = RECIPES.draft(SERIES, name).question
    named = ("Mary Holt", "John Penrose", "Ann Delmar", "Rose Quist", "Lucy Marsh")
    assert sum(person in text for person in named) >= 2


def test_either_or_scope_of_a_place_where_no_place_is_asked_for_declines() -> None:
    film = single(
        "who won the harbour prize in 1931",
        ("Oslo",),
        "The Harbour Prize is given every year. In 1931, it went to Oslo.",
    )
    assert RECIPES.declined(film, "Either/Or Coordination Scope") is DeclineReason.ANSWER_TYPE


def test_dual_pronoun_of_a_person_with_one_name_declines() -> None:
    king = single("who burned the city of tarn", ("Harald",), "Harald came from the north. Harald burned Tarn.")
    assert RECIPES.declined(king, "Dual-eligible Pronoun") is DeclineReason.NO_SUITABLE_SPAN


def test_sluice_of_a_bound_sets_no_second_bound_beside_it() -> None:
    boats = single("how many boats are there in tarn", ("more than 200",), "There are more than 200 boats in Tarn.")
    assert RECIPES.declined(boats, "Sluiced-Wh Ambiguity") is DeclineReason.ANSWER_TYPE
