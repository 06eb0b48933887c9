"""Recipes of P-MissingInfo: what is gone, what is left, and that the question stays as it was."""

from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.instances import BaseInstance
from demur.programs.rules.edits.style import Style
from demur.programs.rules.recipes.missing_info.off_topic import OFF_TOPIC
from demur.programs.rules.recipes.registry import DeclineReason
from demur.programs.text.answers import find_answers
from demur.programs.text.questions import content_words
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import ACTRESS, COUNT, DAM, LIGHTHOUSE, MADE, POLAR, SONG, TOWN, several, single

RECIPES = Recipes(LeverClass.MISSING_INFO)


def made(base: BaseInstance, name: str, seed: int = 1, style: Style = Style.TERSE) -> str:
    draft = RECIPES.draft(base, name, seed, style)
    return " ".join(draft.changed[i] for i in sorted(draft.changed))


def test_every_recipe_leaves_the_question_alone_and_changes_a_passage() -> None:
    for base in MADE:
        for _, draft in RECIPES.drafts(base):
            assert draft.question == base.question
            assert any(text != base.passages[i].text for i, text in draft.changed.items())


def test_medium_and_high_leave_no_answer_in_any_passage_noise_included() -> None:
    for base in MADE:
        for lever, draft in RECIPES.drafts(base):
            if lever.intensity is not Intensity.LOW:
                texts = [draft.changed.get(p.index, p.text) for p in base.passages]
                assert not any(find_answers(t, base.answers) for t in texts), lever.name


def test_low_keeps_the_sentence_that_answers() -> None:
    for base in (LIGHTHOUSE, ACTRESS, COUNT, SONG):
        for lever, draft in RECIPES.drafts(base):
            if lever.intensity is Intensity.LOW:
                assert find_answers(draft.changed[0], base.answers), lever.name


def test_no_recipe_leaves_scars_of_a_cut() -> None:
    for base in MADE:
        for _, draft in RECIPES.drafts(base):
            for text in draft.changed.values():
                assert not any(scar in text for scar in ("  ", " ,", " .", ",,", "..", "()", "the a ", "a the "))


def test_temporal_adjunct_goes_with_its_preposition() -> None:
    assert "It was built by the engineer Ellen Marsh" in made(LIGHTHOUSE, "Missing Temporal Adjunct")


def test_temporal_adjunct_on_a_person_declines_with_the_answer_type() -> None:
    assert RECIPES.declined(ACTRESS, "Missing Temporal Adjunct") is DeclineReason.ANSWER_TYPE


def test_placeholder_takes_the_noun_of_the_question_and_covers_the_surname() -> None:
    text = made(ACTRESS, "Placeholder Entity Substitution")
    assert "performer plays the innkeeper" in text
    assert "The performer won an award" in text
    assert "Delmar" not in text


def test_price_redacted_keeps_the_thing_counted() -> None:
    assert "holds an unstated number of bells" in made(COUNT, "Price Redacted")


def test_agent_deletion_cuts_the_phrase_with_by() -> None:
    assert made(SONG, "Agent Deletion").startswith("Harbour Lights is a song written. It")


def test_cause_omission_ends_the_sentence_before_the_cause() -> None:
    assert "It failed. The water" in made(DAM, "Cause Omission")


def test_answer_clause_excised_cuts_what_leans_on_the_sentence() -> None:
    text = made(LIGHTHOUSE, "Answer Clause Excised")
    assert "1871" not in text
    assert text.startswith(
        "The Corran lighthouse is a white tower on the island of Corran. The tower is 32 metres tall"
    )


def test_chunk_breaks_off_before_the_answer_without_a_stop() -> None:
    assert made(LIGHTHOUSE, "Chunk Cut before the Answer").endswith("It was built on")


def test_table_gap_shows_what_was_asked_and_no_value() -> None:
    text = made(ACTRESS, "Table Gap")
    assert "\nPerson who plays the innkeeper in the Long Winter | " in text


def test_audio_reference_asks_the_question_indirectly() -> None:
    text = made(ACTRESS, "Audio-only Reference").lower()
    assert "who plays the innkeeper in the long winter" in text


def test_all_names_redacted_uses_one_mark() -> None:
    text = made(ACTRESS, "All Names Redacted")
    assert text.count("[redacted]") + text.count("[removed]") >= 4
    assert "Penrose" not in text


def test_all_names_redacted_for_a_number_declines() -> None:
    assert RECIPES.declined(COUNT, "All Names Redacted") is DeclineReason.ANSWER_TYPE


def test_irrelevant_context_shares_no_content_word_with_the_question() -> None:
    for base in (LIGHTHOUSE, ACTRESS, COUNT, SONG):
        assert not content_words(made(base, "Entirely Irrelevant Context")) & content_words(base.question)


def test_irrelevant_context_with_several_passages_replaces_signal_and_answering_noise_only() -> None:
    draft = RECIPES.draft(TOWN, "Entirely Irrelevant Context")
    assert set(draft.changed) == {0, 2, 3}
    assert len({text.split(".")[0] for text in draft.changed.values()}) == 3


def test_noise_that_gives_the_answer_is_cleared_as_well() -> None:
    draft = RECIPES.draft(TOWN, "Damaged Deciding Token")
    assert set(draft.changed) == {2, 3}


def test_yes_or_no_question_declines_what_needs_a_mention() -> None:
    assert RECIPES.declined(POLAR, "Damaged Deciding Token") is DeclineReason.NO_ANSWER_IN_PASSAGES


def test_low_cut_of_a_bridge_between_passages_is_refused() -> None:
    for seed in range(6):
        for lever, draft in RECIPES.drafts(TOWN, seed):
            if lever.intensity is Intensity.LOW:
                texts = {p.index: p.text for p in TOWN.passages} | draft.changed
                assert "Brightwater Press was founded by Mara Lindqvist" in texts[0]
                assert "Mara Lindqvist" in texts[2]


def test_word_made_from_the_answer_may_not_stay() -> None:
    base = single(
        "Of which country is Orlo the capital?",
        ("Bulgaria",),
        "Orlo (Bulgarian: Orlo) is the capital of Bulgaria. It has a fort, two mills and a long harbour wall.",
    )
    assert RECIPES.declined(base, "Damaged Deciding Token") is DeclineReason.ANSWER_WOULD_REMAIN


def test_chunk_that_would_be_cut_before_its_first_words_declines() -> None:
    base = single(
        "Who built the mill?", ("Ida Sorel",), "Ida Sorel built the mill of Tarn. Later Ida Sorel sold it to a friend."
    )
    RECIPES.declined(base, "Chunk Cut before the Answer")


def test_number_in_a_denial_stays() -> None:
    base = single(
        "Who led the club?", ("Ida Sorel",), "Ida Sorel led the club. The club did not have nine players that year."
    )
    assert RECIPES.declined(base, "Strip Non-queried Statistic") is DeclineReason.NOTHING_PERIPHERAL


def test_place_pronoun_before_a_wider_place_declines() -> None:
    base = single("Where did the band form?", ("Leyton",), "The band was formed in Leyton, East London, in 1975.")
    RECIPES.declined(base, "Pronoun w/o Antecedent")


def test_initial_for_two_different_names_declines() -> None:
    base = single(
        "Who produced the film?", ("Ned Corbin", "Dale Pictures"), "Dale Pictures is a firm. Ned Corbin owned the firm."
    )
    RECIPES.declined(base, "Abbreviated Reference Omission")


def test_link_stands_once_where_noise_gives_the_answer_too() -> None:
    base = several(
        "Who wrote the song Harbour Lights?",
        ("Ned Corbin",),
        ("Harbour Lights is a song. The song was written by Ned Corbin. It was sung in Leeds.", True),
        ("The Dale Sisters are a duo from the town of Leeds. They sang songs by Ned Corbin as well.", False),
    )
    said = [t for t in RECIPES.draft(base, "Link without Its Target").changed.values() if "Harbour Lights" in t]
    assert len(said) == 1


def test_two_styles_cut_different_details_where_there_are_two() -> None:
    base = single(
        "Who built the mill?",
        ("Ida Sorel",),
        "Ida Sorel built the mill. Its roof (of slate) leaked badly. A barn (which nobody ever used again) stood by.",
    )
    terse, fuller = (RECIPES.draft(base, "Parenthetical Excise", 1, style).changed[0] for style in Style)
    assert terse != fuller


def test_off_topic_texts_are_long_enough_to_stand_for_a_passage() -> None:
    assert len(OFF_TOPIC) >= 12
    assert all(len(lines) >= 5 and all(line.endswith(".") for line in lines) for lines in OFF_TOPIC.values())


def test_link_that_would_leave_nothing_of_the_only_passage_declines() -> None:
    lone = single(
        "Who was the first mayor of Tarn?",
        ("Anna Sorel",),
        "Anna Sorel was the first mayor of Tarn and a rower. She was born in 1901.",
    )
    assert RECIPES.declined(lone, "Link without Its Target") is DeclineReason.NO_SUITABLE_SPAN


def test_answer_beside_another_name_of_its_kind_that_could_be_taken_for_it_declines() -> None:
    room = single(
        "Who designed the Green Dining Room of Tarn?",
        ("Edward Burnham",),
        "The Green Dining Room of Tarn was designed by Philip Webber. Its windows are by Edward Burnham. The room was "
        "opened in 1868 and holds forty guests, who are served by nine waiters.",
    )
    assert RECIPES.declined(room, "Damaged Deciding Token") is DeclineReason.ANSWER_WOULD_REMAIN


def test_pointer_to_a_note_does_not_stand_where_a_name_is_called_for() -> None:
    firm = single(
        "What will the firm of Tarn be called?",
        ("Millrace Bakers",),
        "The firm of Tarn will be called Millrace Bakers. It bakes bread and rolls and has nine shops in the county.",
    )
    assert RECIPES.declined(firm, "Placeholder Citation") is DeclineReason.NO_SUITABLE_SPAN


def test_date_goes_with_the_comma_of_its_year() -> None:
    record = single(
        "When was the album Salt Harvest released?",
        ("May 3, 2005",),
        "Salt Harvest is an album by the Tarn Quartet. It was released on May 3, 2005, through a small label.",
    )
    assert "It was released through a small label" in made(record, "Missing Temporal Adjunct")
