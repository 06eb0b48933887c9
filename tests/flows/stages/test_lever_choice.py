"""Assigned levers: all of a stratum are used, as often as each other, whatever joins or leaves the round."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from demur.configuration.round_config import SHIPPED
from demur.engine.context import RoundContext
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.items.generate.lever_choice import MOST_OFFERED, Fitting, Slot, assigned_levers, offered_levers
from demur.levers.catalogue import load_catalogue
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import STRATA, Intensity, LeverClass
from demur.warehouse.home import Home

CONFIG = read_round_config(SHIPPED / "rules.yaml")
CATALOGUE = load_catalogue()
LEVERS = CATALOGUE.stratum(LeverClass.AMBIGUITY, Intensity.LOW)


def context(seed: int = 1, replicates: int = 1) -> RoundContext:
    generation = CONFIG.generation.model_copy(update={"lever_choice": "assigned", "replicates": replicates})
    config = CONFIG.model_copy(update={"generation": generation})
    return RoundContext(Home(Path("unused")), config, Path("unused"), "test", seed)


def assigned_to(
    of: RoundContext, places: dict[str, int], levers: Sequence[Lever], generator: str, fits: Fitting | None = None
) -> dict[Slot, Lever]:
    """The levers assigned; all of them fit every base instance where nothing is said."""
    return assigned_levers(of, places, levers, fits or dict.fromkeys(places, [x.id for x in levers]), generator)


def draws(places: set[int]) -> dict[str, int]:
    return {f"base-{place}": place for place in places}


@given(st.integers(1, 60), st.sampled_from(STRATA))
def test_assigned_uses_differ_by_one_where_every_base_passed_the_screen(
    bases: int, stratum: tuple[LeverClass, Intensity]
) -> None:
    levers = CATALOGUE.stratum(*stratum)
    uses = Counter(lever.id for lever in assigned_to(context(), draws(set(range(bases))), levers, "one").values())
    counts = [uses[lever.id] for lever in levers]
    assert max(counts) - min(counts) <= 1


def some_fitting(places: set[int], seed: int, most: int = len(LEVERS)) -> dict[str, list[str]]:
    """For every base instance some levers of the stratum, never none."""
    rng = random.Random(seed)
    return {f"base-{p}": sorted(rng.sample([x.id for x in LEVERS], k=rng.randint(1, most))) for p in sorted(places)}


@given(st.sets(st.integers(0, 60), min_size=1, max_size=40), st.integers(1, 3), st.integers(0, 50))
def test_assigned_lever_fits_and_none_that_fits_is_left_out_while_another_could_give_it_a_slot(
    places: set[int], replicates: int, seed: int
) -> None:
    fits = some_fitting(places, seed)
    assigned = assigned_to(context(seed, replicates), draws(places), LEVERS, "one", fits)
    assert all(lever.id in fits[base_id] for (base_id, _), lever in assigned.items())
    uses = Counter(lever.id for lever in assigned.values())
    for missing in {lever.id for lever in LEVERS} - set(uses):
        assert not [base for (base, _), lever in assigned.items() if uses[lever.id] > 1 and missing in fits[base]]


@given(st.sets(st.integers(0, 60), min_size=1, max_size=40), st.integers(0, 50))
def test_offered_levers_fit_and_are_few(places: set[int], seed: int) -> None:
    fits = some_fitting(places, seed)
    offered = offered_levers(context(seed), draws(places), LEVERS, fits, "one")
    for (base_id, _), levers in offered.items():
        ids = [lever.id for lever in levers]
        assert set(ids) <= set(fits[base_id])
        assert len(ids) == len(set(ids)) == min(MOST_OFFERED, len(fits[base_id]))
