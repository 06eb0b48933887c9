"""Recipes are found by name; the generator never lets out what a check fails."""

import pytest

from demur.levers.catalogue import load_catalogue
from demur.levers.instances import Stratum
from demur.levers.lever_models import Lever, Style
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
from demur.rules.roles.generate import Undrawn, draw
from tests.text.bases import LIGHTHOUSE


@operator("missing_info.test_only_declines")
def _declines(pull: Pull) -> Draft | Declined:
    return Declined(DeclineReason.NO_TOPIC, "none at all")


@operator("missing_info.test_only_nothing")
def _nothing(pull: Pull) -> Draft | Declined:
    return Draft(pull.analysis.question.text)


def lever(recipe_name: str | None, number: int = 0) -> Lever:
    """Return a MissingInfo MEDIUM lever with the recipe named."""
    ours = next(
        lever for lever in load_catalogue() if lever.id.startswith("missing-info.") and lever.intensity == "MEDIUM"
    )
    changed = {"id": f"missing-info.x{number}", "name": f"Tested Lever {number}", "recipe": recipe_name}
    return ours.model_copy(update=changed)


STRATUM = Stratum(lever_class="P-MissingInfo", intensity="MEDIUM")


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


def test_recipes_every_lever_finds_its_own_and_none_is_left_over() -> None:
    named = {lever.recipe for lever in load_catalogue() if lever.recipe}
    for name in sorted(named):
        assert callable(find_operator(name))
    registered = {name for name in operator_names() if "test_only" not in name}
    assert registered == named
