"""Which levers fit a base instance: their worked examples, and none of those on which a generator would decline."""

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


OTTERS = one(
    "what is the name of the otter in river of glass",
    "Pell",
    "River of Glass is a 2011 animated film. Pell (voiced by Ines Vardo) and Tam are the two otters who guide the boat "
    "home. When the weir breaks, Pell holds the rope.",
)
SPICE = one(
    "where was the first lemon cake baked italy or malta",
    "Malta",
    "The cake is held to have been baked first on Malta. Traders took it to Italy after the harbour had reopened.",
)
SISTERS = one(
    "when do we learn that una and mara are sisters",
    "The Long Ford",
    "Una Vell is a scout in The Near Ford. In The Long Ford she is shown to be the sister of Mara, whom she had taken "
    "for a stranger.",
)
SONG = one(
    "who sings hold the lantern",
    "Ivo Hale",
    'Ivo Hale is a singer of the north, best known for "Hold the Lantern" from his second album, which Rhea Moss made.',
)
AIRFIELDS = several(
    "Are both Corran Airfield and Tolland Airfield located in Wessmark?",
    ("no",),
    ("Corran Airfield lies three miles west of Corran, in Ostmark.", True),
    ("Tolland Airfield is the largest of Wessmark. It has two runways.", True),
    ("The red hangar of Selby is also known as the Barn.", False),
)
PROCESS = one(
    "where does the settling of lime take place",
    "the inner wall in the kilns of plants",
    "The settling of lime needs heat and runs along the inner wall in the kilns of plants. The enzyme LIT-ase and "
    "the ion CO carry it on. Its rate rises with the draught.",
)
FEES = one(
    "who pays for the ferry of wessmark",
    "general fees",
    "The ferry of Wessmark is a matter of its four towns. It is free for all who live there, since general fees pay.",
)
STAGE = one(
    "Who was known by the stage name Pell and helped mills to grind better?",
    "Tom Rhea",
    "Tom Rhea, known by the stage name Pell, wrote a march. He helped mills to grind better as a consultant.",
)
STAGE_AND_PARTNER = one("what did Una build", "a weir", "Una Vell built a weir together with Peter Moss.")


def test_levers_fit_their_own_worked_examples() -> None:
    faults = {(lever.id, base.question): unmet(base, lever) for lever, base in EXAMPLES if unmet(base, lever)}
    assert EXAMPLES and faults == {}


@pytest.mark.parametrize("need", Need)
def test_need_is_used_and_tells_base_instances_apart(need: Need) -> None:
    assert any(need in lever.needs for lever in CATALOGUE)
    asking = CATALOGUE.levers[0].model_copy(update={"needs": (need,)})
    assert {bool(unmet(base, asking)) for base in (AIRFIELDS, *(base for _, base in EXAMPLES))} == {True, False}


@pytest.mark.parametrize(
    ("lever_id", "base"),
    [
        ("missing-info.delete-color-adjective", OTTERS),
        ("granularity.coarse-restatement-beside-the-exact-value", OTTERS),
        ("contradiction.order-of-magnitude-numeric-clash", OTTERS),
        ("granularity.merged-cell-over-two-rows", SPICE),
        ("false-premise.burial-for-a-living-person", SPICE),
        ("missing-info.verdict-outcome-removal", SISTERS),
        ("ambiguity.unstated-edition", AIRFIELDS),
        ("missing-info.delete-color-adjective", AIRFIELDS),
        ("missing-info.redundant-synonym-skipped", SONG),
        ("missing-info.chunk-cut-before-the-answer", SONG),
        ("ambiguity.quantifier-phrase-split", PROCESS),
        ("ambiguity.pp-attachment-ambiguity", FEES),
        ("ambiguity.multi-pronoun-braid", STAGE),
        ("missing-info.secondary-actor-cut", PROCESS),
        ("missing-info.source-attribution-lost", PROCESS),
        ("missing-info.patient-erasure", STAGE),
        ("missing-info.agent-deletion", one("who is the mayor", "Ada Quill", "Ada Quill is the mayor of Orran.")),
        ("granularity.cross-level-policy-synthesis", PROCESS),
        (
            "granularity.notable-equals-listed-specs",
            one("when did it open", "9 May, 1904", "It opened on 9 May, 1904."),
        ),
        ("contradiction.minor-numeric-rounding", one("how many steps", "412", "The tower has 412 steps.")),
        (
            "false-premise.reversed-causality",
            one("who made it", "Ada Quill", "Ada Quill, resident since May, made the chair."),
        ),
    ],
)
def test_lever_that_wants_what_the_base_has_not_does_not_fit(lever_id: str, base: BaseInstance) -> None:
    assert unmet(base, CATALOGUE.lever(lever_id))


@pytest.mark.parametrize(
    ("lever_id", "base"),
    [
        ("ambiguity.unstated-edition", OTTERS),
        ("contradiction.spatial-location-clash", SPICE),
        ("missing-info.chunk-cut-before-the-answer", SPICE),
        (
            "missing-info.redundant-synonym-skipped",
            one("who rows", "Una Vell", 'Una "The Oar" Vell rows the ferry.'),
        ),
        ("missing-info.temporal-mismatch-outdated-info", AIRFIELDS),
        ("ambiguity.quantifier-phrase-split", FEES),
        (
            "ambiguity.pp-attachment-ambiguity",
            one("who met Una", "Tom Rhea", "Tom Rhea met Una, and Anna Voss met Mara."),
        ),
        ("missing-info.secondary-actor-cut", STAGE_AND_PARTNER),
        ("missing-info.source-attribution-lost", SPICE),
        (
            "missing-info.chunk-tail-cut-off",
            one("who rows", "Una", "Una rows the boat, which was built in the yard."),
        ),
        ("granularity.genome-detail-from-species-count", one("what do frogs eat", "flies", "Frogs eat flies.")),
        ("missing-info.agent-deletion", one("who built the pier", "Ada Quill", "Ada Quill built the pier.")),
    ],
)
def test_lever_that_can_be_pulled_fits(lever_id: str, base: BaseInstance) -> None:
    assert unmet(base, CATALOGUE.lever(lever_id)) == ()


def test_lever_without_needs_fits_everything_and_a_stratum_without_fitting_levers_is_offered_whole() -> None:
    free = [lever for lever in CATALOGUE if not lever.needs]
    assert len(free) > 60
    assert fitting(SISTERS, free) == tuple(free)
    wanting = [CATALOGUE.lever("granularity.exact-degree-value"), CATALOGUE.lever("granularity.inline-unit-conversion")]
    assert fitting(SISTERS, wanting) == tuple(wanting)
    mixed = [*wanting, free[0]]
    assert fitting(SISTERS, mixed) == (free[0],)
