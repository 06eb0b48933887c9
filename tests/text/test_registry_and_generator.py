"""Recipes are found by name; the generator never lets out what a check fails."""

import pytest

from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance, Passage, Stratum
from demur.levers.lever_models import Lever, Style
from demur.levers.vocabulary import STRATA, Target
from demur.programs.checks.run import check, failures
from demur.programs.errors import ProgramError
from demur.rules.operators.registry import (
    Declined,
    DeclineReason,
    Draft,
    Pull,
    find_operator,
    operator,
    operator_names,
)
from demur.rules.recipe_choice import Drawn, Undrawn, draw
from tests.text.bases import ALL, FILM, LIGHTHOUSE


@operator("missing_info.test_only_nothing")
def _nothing(pull: Pull) -> Draft | Declined:
    return Draft(pull.analysis.question.text)


@operator("missing_info.test_only_declines")
def _declines(pull: Pull) -> Draft | Declined:
    return Declined(DeclineReason.NO_TOPIC, "none at all")


def lever(recipe_name: str | None, number: int = 0) -> Lever:
    """Return a MissingInfo MEDIUM lever with the recipe named."""
    ours = next(
        lever for lever in load_catalogue() if lever.id.startswith("missing-info.") and lever.intensity == "MEDIUM"
    )
    changed = {"id": f"missing-info.x{number}", "name": f"Tested Lever {number}", "recipe": recipe_name}
    return ours.model_copy(update=changed)


STRATUM = Stratum(lever_class="P-MissingInfo", intensity="MEDIUM")
WIDE = Stratum(lever_class="P-EpistemicMismatch", intensity="MEDIUM")
"""A stratum of which several levers apply to one base instance."""


def renewed(base: BaseInstance, number: int) -> BaseInstance:
    """Return the base with a sentence of its own at the end of each passage."""
    passages = tuple(
        Passage(index=p.index, text=f"{p.text} This is copy {number}.", relevant=p.relevant) for p in base.passages
    )
    return BaseInstance(question=base.question, answers=base.answers, passages=passages)


def test_find_operator_unknown_name_is_refused() -> None:
    with pytest.raises(ProgramError, match=r"recipe 'missing_info\.nope' is not one of .*missing_info\.test_only"):
        find_operator("missing_info.nope")


def test_recipe_name_of_no_class_is_refused() -> None:
    with pytest.raises(ProgramError, match="must start with one of ambiguity"):
        operator("weather.rain")(_nothing)


def test_draw_all_decline_names_every_reason() -> None:
    offered = [lever("missing_info.test_only_declines", 1), lever("missing_info.test_only_nothing", 2), lever(None, 3)]
    drawn = draw(LIGHTHOUSE, STRATUM, offered, Style.TERSE, 7)
    assert isinstance(drawn, Undrawn)
    reasons = {name: decline.reason for name, decline in drawn.declines}
    assert reasons == {
        "Tested Lever 1": DeclineReason.NO_TOPIC,
        "Tested Lever 2": DeclineReason.CHECK_FAILED,
        "Tested Lever 3": DeclineReason.NO_RECIPE,
    }
    assert "none at all" in drawn.reason


@pytest.mark.parametrize("style", list(Style))
def test_draw_our_catalogue_is_deterministic_and_fails_no_check(style: Style) -> None:
    catalogue = load_catalogue()
    made = 0
    for base in ALL:
        for lever_class, intensity in STRATA:
            stratum = Stratum(lever_class=lever_class, intensity=intensity)
            offered = catalogue.stratum(lever_class, intensity)
            one, other = (draw(base, stratum, offered, style, 11) for _ in range(2))
            assert one == other
            if isinstance(one, Drawn):
                made += 1
                results = check(base, one.perturbation, one.lever, stratum)
                assert not failures(results)
                assert one.reasoning and one.answer_note
                if one.lever.target is Target.QUERY:
                    assert not one.perturbation.changed
    assert made >= 0.25 * len(ALL) * len(STRATA)


@pytest.mark.parametrize("style", list(Style))
def test_draw_over_bases_each_style_reaches_every_lever_that_applies(style: Style) -> None:
    offered = load_catalogue().stratum(WIDE.lever_class, WIDE.intensity)
    applying = {lever.id for lever in offered if isinstance(draw(FILM, WIDE, [lever], style, 0), Drawn)}
    pulled = set()
    for number in range(40):
        drawn = draw(renewed(FILM, number), WIDE, offered, style, number)
        pulled |= {drawn.lever.id} if isinstance(drawn, Drawn) else set()
    assert len(applying) >= 3
    assert pulled >= applying


def test_draw_on_one_base_styles_meet_in_no_lever_while_each_has_its_own() -> None:
    offered = load_catalogue().stratum(WIDE.lever_class, WIDE.intensity)
    pulled: dict[Style, set[str]] = {}
    for style in Style:
        drawn = [draw(FILM, WIDE, offered, style, seed) for seed in range(20)]
        pulled[style] = {one.lever.id for one in drawn if isinstance(one, Drawn)}
        assert pulled[style]
    assert not pulled[Style.TERSE] & pulled[Style.ELABORATE]


def test_recipes_every_lever_finds_its_own_and_none_is_left_over() -> None:
    named = {lever.recipe for lever in load_catalogue() if lever.recipe}
    for name in sorted(named):
        assert callable(find_operator(name))
    registered = {name for name in operator_names() if "test_only" not in name}
    assert registered == named
