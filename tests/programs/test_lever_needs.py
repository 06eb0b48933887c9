"""Which levers fit a base instance: their worked examples, and only where their needs are met."""

import pytest

from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance
from demur.levers.lever_models import Need
from demur.programs.checks.run import example_as_instance
from demur.programs.lever_needs import fitting, unmet
from tests.text.bases import several, single

CATALOGUE = load_catalogue()
EXAMPLES = [(lever, example_as_instance(example, lever)[0]) for lever in CATALOGUE for example in lever.examples]


def one(question: str, answer: str, text: str) -> BaseInstance:
    return single(question, (answer,), text)


SISTERS = one(
    "when do we learn that una and mara are sisters",
    "The Long Ford",
    "Una Vell is a scout in The Near Ford. In The Long Ford she is shown to be the sister of Mara, whom she had taken "
    "for a stranger.",
)
AIRFIELDS = several(
    "Are both Corran Airfield and Tolland Airfield located in Wessmark?",
    ("no",),
    ("Corran Airfield lies three miles west of Corran, in Ostmark.", True),
    ("Tolland Airfield is the largest of Wessmark. It has two runways.", True),
    ("The red hangar of Selby is also known as the Barn.", False),
)


def test_levers_fit_their_own_worked_examples() -> None:
    faults = {(lever.id, base.question): unmet(base, lever) for lever, base in EXAMPLES if unmet(base, lever)}
    assert EXAMPLES and faults == {}


@pytest.mark.parametrize("need", Need)
def test_need_is_used_and_tells_base_instances_apart(need: Need) -> None:
    assert any(need in lever.needs for lever in CATALOGUE)
    asking = CATALOGUE.levers[0].model_copy(update={"needs": (need,)})
    assert {bool(unmet(base, asking)) for base in (AIRFIELDS, *(base for _, base in EXAMPLES))} == {True, False}


def test_lever_without_needs_fits_everything_and_a_stratum_without_fitting_levers_is_offered_whole() -> None:
    free = [lever for lever in CATALOGUE if not lever.needs]
    assert len(free) > 60
    assert fitting(SISTERS, free) == tuple(free)
    wanting = [CATALOGUE.lever("granularity.exact-degree-value"), CATALOGUE.lever("granularity.inline-unit-conversion")]
    assert fitting(SISTERS, wanting) == tuple(wanting)
    mixed = [*wanting, free[0]]
    assert fitting(SISTERS, mixed) == (free[0],)
