"""Recipes of P-GranularityMismatch: the level that is asked for, and what stays as it was."""

import re

import pytest

from demur.levers.vocabulary import LeverClass, Target
from demur.programs.rules.recipes.registry import DeclineReason
from demur.programs.text.analysis import analyse
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import ACTRESS, ALL, COUNT, LIGHTHOUSE, TOWN, several, single

RECIPES = Recipes(LeverClass.GRANULARITY)


def test_every_recipe_changes_its_target_and_no_noise_passage() -> None:
    for base in ALL:
        signal = {p.index for p in base.passages if p.relevant}
        for lever, draft in RECIPES.drafts(base):
            asked_anew = draft.question != base.question
            assert asked_anew == (lever.target is not Target.CONTEXT)
            assert set(draft.changed) == (set() if lever.target is Target.QUERY else signal)


def test_medium_and_low_recipes_keep_every_sentence_of_the_passages() -> None:
    for base in ALL:
        for lever, draft in RECIPES.drafts(base):
            for index, text in draft.changed.items():
                for sentence in analyse(base).passages[index].sentences:
                    assert sentence.text in text or lever.name == "Inline Unit Conversion"


def test_total_line_states_the_answer_as_a_total() -> None:
    made = RECIPES.draft(COUNT, "Explicit Total Line")
    assert made.question == "how many bells hang in the tower of saint orla in total"
    assert made.changed[0].endswith("Total: seven.")


def test_finest_precision_for_a_day_asks_for_the_date() -> None:
    assert (
        RECIPES.draft(LIGHTHOUSE, "Minute Precision Present").question
        == "On what exact date was the Corran lighthouse built?"
    )


def test_finest_precision_without_date_or_figure_declines() -> None:
    assert RECIPES.declined(ACTRESS, "Minute Precision Present") is DeclineReason.ANSWER_TYPE


def test_unit_conversion_puts_the_converted_value_in_brackets() -> None:
    base = single(
        "How long is the Harrow tunnel?", ("12 km",), "The Harrow tunnel is 12 km long. It was bored by hand."
    )
    made = RECIPES.draft(base, "Inline Unit Conversion")
    assert "12 km (about 7.5 miles) long" in made.changed[0]
    assert made.question == "How long is the Harrow tunnel in km?"


def test_genus_for_species_leaves_names_alone() -> None:
    base = single(
        "Who owns the Salt River Song Book?", ("Ada Finch",), "The Salt River Song Book is owned by Ada Finch."
    )
    RECIPES.declined(base, "Genus-to-Species Mismatch")


def test_genus_for_species_agrees_with_its_article() -> None:
    base = single(
        "Who painted a ship on the inn sign?", ("Ada Finch",), "Ada Finch painted a ship on the sign of the inn."
    )
    assert RECIPES.draft(base, "Genus-to-Species Mismatch").question == "Who painted a vessel on the inn sign?"


def test_universal_rule_keeps_to_the_matter_that_was_asked() -> None:
    assert (
        "cast in the same way as the long winter"
        in RECIPES.draft(ACTRESS, "Single-Instance to Universal Rule").question
    )


def test_part_of_part_for_a_year_asks_for_the_minute_and_says_that_only_the_year_is_known() -> None:
    base = single(
        "when was the salter mill closed", ("1957",), "The Salter Mill ground rye. The Salter Mill was closed in 1957."
    )
    made = RECIPES.draft(base, "Part-of-part Detail")
    assert made.question == "to the nearest minute, when was the salter mill closed"
    assert "only the year" in made.changed[0].lower()


def test_merged_cell_names_the_figure_and_asks_for_the_share() -> None:
    base = single(
        "When was the Ostrow Chess Club founded?",
        ("1902",),
        "The Ostrow Chess Club was founded in 1902. The Ostrow Chess Club has 214 members and a clubhouse.",
    )
    made = RECIPES.draft(base, "Merged Cell over Two Rows")
    assert "214 members" in made.question
    assert "one cell merged over two rows" in made.changed[0]


def test_breakdown_tells_the_size_of_the_whole_and_is_cut_off_at_the_end_of_the_passage() -> None:
    made = RECIPES.draft(ACTRESS, "Breakdown Cut by the Chunk End")
    whole = re.search(
        r"The (\d+) minutes of The Long Winter break down by scene as follows: \[\.\.\.\]$", made.changed[0]
    )
    assert whole is not None
    assert made.question == f"how many of the {whole[1]} minutes of the long winter does the third scene take up"


def test_breakdown_by_country_is_asked_only_of_what_has_no_name() -> None:
    general = single(
        "What is the most common cause of fires?", ("stoves",), "The most common cause of fires is stoves. They tip."
    )
    made = RECIPES.draft(general, "Breakdown Cut by the Chunk End")
    assert made.question == "In the first country listed, what is the most common cause of fires?"


def test_merged_cell_for_a_counted_answer_asks_the_question_without_the_row_below() -> None:
    base = single(
        "How many bridges are there in Tarn?", ("214",), "Tarn is a town. In Tarn there are 214 bridges of stone."
    )
    made = RECIPES.draft(base, "Merged Cell over Two Rows")
    assert made.question == "Taken alone, how many bridges are there in Tarn?"
    assert "the figure of 214 stands in one cell merged over two rows, the one for Tarn" in made.changed[0]


def test_median_names_the_members_whose_values_are_not_recorded() -> None:
    base = single(
        "How many seasons of Paper Tides are there?",
        ("nine",),
        "Paper Tides is a television series. Paper Tides ran for nine seasons and was shot in Lima.",
    )
    made = RECIPES.draft(base, "Median-With-Missing Member")
    peers = re.search(r"median number of seasons of Paper Tides, (.+) and (.+)\?$", made.question)
    assert peers is not None
    assert all(peer in made.changed[0] for peer in peers.groups())


def test_universal_rule_is_not_asked_of_an_event_that_began_nothing() -> None:
    base = single("when did orlo beat tarn", ("1931",), "Orlo is a town. In 1931 Orlo beat Tarn. Both have a club.")
    RECIPES.declined(base, "Single-Instance to Universal Rule")
    RECIPES.declined(base, "Micro-to-Macro Proportion")


def test_territory_is_not_widened_where_a_moment_is_asked_for() -> None:
    base = single("when was the toll established in france", ("1931",), "The toll was established in France in 1931.")
    assert RECIPES.declined(base, "Nation from City Data") is DeclineReason.QUESTION_NOT_PARSED


def test_decade_trend_quotes_a_day_of_the_passage() -> None:
    base = single(
        "Who directed the film Ice Harbour?",
        ("Nora Vance",),
        "Ice Harbour is a film. Nora Vance directed it. It was first shown on 4 May 1961.",
    )
    assert "4 May 1961" in RECIPES.draft(base, "Decade Trend from Daily Data").changed[0].rpartition(". ")[2]


def test_in_total_stands_after_what_is_counted_in_a_long_question() -> None:
    base = single(
        "How many wells are there in the town where the uncle of Ida Sorel once kept his mill?",
        ("nine",),
        "Tarn is a town. There are nine wells in Tarn. The uncle of Ida Sorel kept his mill there.",
    )
    assert RECIPES.draft(base, "Explicit Total Line").question.startswith(
        "How many wells in total are there in the town"
    )


def test_genus_is_not_put_for_an_adjective_or_the_first_half_of_a_compound() -> None:
    for question in ("what was the final episode of paper tides", "what is the car park of orlo"):
        base = single(question, ("Dazbe",), "Paper Tides is a series of Orlo. It is called Dazbe there.")
        RECIPES.declined(base, "Genus-to-Species Mismatch")


def test_breadcrumbs_of_several_passages_name_a_field_only_over_the_subjects_own() -> None:
    base = several(
        "Who directed the film Ice Harbour?",
        ("Nora Vance",),
        ("Ice Harbour is a film of 1961. It was shot at sea.", True),
        ("Tarn Mill is a mill. Its owner was Nora Vance, who directed the film Ice Harbour.", True),
    )
    first, second = RECIPES.draft(base, "Breadcrumb Broader than the Passage").changed.values()
    assert "Film" in first.split("\n")[0]
    assert "Film" not in second.split("\n")[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("how old was ida sorel when she left", "seven"), ("when was the mill closed", "4 May 1961")],
)
def test_part_of_part_for_ages_and_days_asks_for_the_minute(question: str, answer: str) -> None:
    base = single(question, (answer,), f"Ida Sorel left the mill. It was closed on 4 May 1961. She was {answer}.")
    made = RECIPES.draft(base, "Part-of-part Detail")
    assert made.question == f"to the nearest minute, {question}"


def test_remarks_in_several_passages_speak_of_each_passages_own_subject() -> None:
    base = several(
        "Who directed the film Ice Harbour?",
        ("Nora Vance",),
        ("Ice Harbour is a film of 1961. It was shot at sea.", True),
        ("Nora Vance was a Swedish director. Nora Vance directed the film Ice Harbour.", True),
    )
    changed = RECIPES.draft(base, "Single-Instance to Universal Rule").changed
    added = [changed[i].removeprefix(p.text) for i, p in enumerate(base.passages)]
    assert len(set(added)) == 2
    assert "Ice Harbour" in added[0]
    assert "Nora Vance" in added[1]


def test_millisecond_for_a_when_question_keeps_the_rest_of_it() -> None:
    made = RECIPES.draft(LIGHTHOUSE, "Century vs. Millisecond")
    assert made.question == "In exactly which millisecond was the Corran lighthouse built?"
    assert made.changed == {}


def test_genome_for_a_thing_declines() -> None:
    assert RECIPES.declined(LIGHTHOUSE, "Genome Detail from Species Count") is DeclineReason.NO_TOPIC


def test_high_recipes_keep_the_subject_in_the_question() -> None:
    for name in ("Particle Census of a Named Thing", "Deep Time from One Snapshot", "Molecular vs. Organism"):
        assert "Brightwater Press" in RECIPES.draft(TOWN, name).question
