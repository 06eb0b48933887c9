"""Recipes of P-EpistemicMismatch: the kind of knowledge that is asked for, and what stays as it was."""

from demur.levers.vocabulary import Intensity, LeverClass, Target
from demur.programs.rules.recipes.registry import DeclineReason
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import ACTRESS, ALL, COUNT, LIGHTHOUSE, TOWN, single

RECIPES = Recipes(LeverClass.EPISTEMIC)
BABEL = single(
    "Who ruled the city of Orsk Dal?",
    ("Queen Sefa",),
    "Orsk Dal was a city of the plains. Orsk Dal was ruled by Queen Sefa until it was abandoned.",
)


def test_every_recipe_changes_its_target_and_only_adds_to_signal_passages() -> None:
    for base in ALL:
        signal = {p.index for p in base.passages if p.relevant}
        for lever, draft in RECIPES.drafts(base):
            asked_anew = draft.question != base.question
            assert asked_anew == (lever.target is not Target.CONTEXT)
            assert set(draft.changed) == (set() if lever.target is Target.QUERY else signal)
            assert all(text.startswith(base.passages[i].text) for i, text in draft.changed.items())


def test_low_recipes_leave_the_whole_question_inside_the_new_one() -> None:
    for base in (LIGHTHOUSE, COUNT, TOWN):
        inner = base.question.rstrip("?")[1:]
        for lever, draft in RECIPES.drafts(base):
            fits = lever.intensity is Intensity.LOW and lever.name != "Strict Containment"
            if fits:
                assert inner in draft.question


def test_most_likely_for_a_who_question_moves_into_it() -> None:
    made = RECIPES.draft(ACTRESS, "Weak Possibility vs. High Likelihood")
    assert made.question == "who most likely plays the innkeeper in the long winter"


def test_comparison_without_a_comparative_declines() -> None:
    assert RECIPES.declined(TOWN, "Heavier is Factual") is DeclineReason.QUESTION_NOT_PARSED


def test_comparison_with_a_comparative_is_put_as_an_impression() -> None:
    base = single(
        "Which anvil is heavier, the Solingen or the Leeds?",
        ("the Solingen",),
        "The Solingen weighs 120 kg, the Leeds 95 kg.",
    )
    assert (
        RECIPES.draft(base, "Heavier is Factual").question
        == "Which anvil would you say is heavier, the Solingen or the Leeds?"
    )


def test_counterfactual_for_a_who_question_supposes_another_doer() -> None:
    question = RECIPES.draft(ACTRESS, "Short Counterfactual Inquiry").question
    assert question == "what would be different today if someone else had played the innkeeper in the long winter"


def test_forecast_for_what_is_no_more_does_not_suppose_that_it_lasts() -> None:
    RECIPES.declined(BABEL, "Next-quarter Sales Prediction")
    assert RECIPES.draft(BABEL, "Forecast without Model").question.startswith("What will people say about")


def test_expensive_quotes_a_sum_of_the_passage() -> None:
    assert "£4,500" in RECIPES.draft(LIGHTHOUSE, "Expensive is Subjective").question


def test_expensive_without_a_sum_declines() -> None:
    assert RECIPES.declined(TOWN, "Expensive is Subjective") is DeclineReason.NO_SUITABLE_SPAN


def test_high_recipes_ask_about_the_subject_in_the_register_of_the_question() -> None:
    made = RECIPES.draft(LIGHTHOUSE, "Most Beautiful Aspect")
    assert made.question == "What is objectively the most beautiful aspect of the Corran lighthouse?"
    lower = RECIPES.draft(ACTRESS, "Most Beautiful Aspect").question
    assert lower == lower.lower()
    assert not lower.endswith("?")


def test_superlative_inside_a_description_is_no_comparison_that_is_asked_for() -> None:
    base = single(
        "Who is the younger brother of the warden of Tarn?",
        ("Olaf Tarn",),
        "The warden's younger brother is Olaf Tarn.",
    )
    assert RECIPES.declined(base, "Heavier is Factual") is DeclineReason.QUESTION_NOT_PARSED


def test_survey_wording_adds_no_more_than_a_few_words() -> None:
    base = single("When was the Tarn bridge opened?", ("1962",), "The Tarn bridge was opened in 1962. It is long.")
    for seed in range(12):
        question = RECIPES.draft(base, "Survey Wording Around a Stated Fact", seed).question
        assert len(question.split()) - len(base.question.split()) <= 6


def test_sum_that_concerns_something_else_is_not_asked_about() -> None:
    base = single(
        "Who produced the film Salt Harvest?",
        ("Ada Finch",),
        "Brook Radio bought two stations for $1 million. It also financed films. Ada Finch produced Salt Harvest.",
    )
    assert RECIPES.declined(base, "Expensive is Subjective") is DeclineReason.NO_SUITABLE_SPAN


def test_counterfactual_without_a_fact_to_suppose_otherwise_declines() -> None:
    base = single("what is a tarn net made of", ("rope",), "A tarn net is made of rope. It is a net.")
    assert RECIPES.declined(base, "Short Counterfactual Inquiry") is DeclineReason.QUESTION_NOT_PARSED


def test_threshold_speaks_of_any_statement_and_so_of_the_one_that_answers() -> None:
    for seed in range(6):
        text = RECIPES.draft(ACTRESS, "Evaluative Term with Explicit Threshold", seed).changed[0]
        added = text.removeprefix(ACTRESS.passages[0].text)
        assert "statement about" not in added and "at least once" in added
