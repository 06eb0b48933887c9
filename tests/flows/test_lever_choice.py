"""Assigned levers: all of a stratum are used, as often as each other, whatever joins or leaves the round."""

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from demur.flows.context import RoundContext
from demur.flows.round_config import SHIPPED, read_round_config
from demur.flows.stages.lever_choice import assigned_levers
from demur.levers.load import load_catalogue
from demur.levers.vocabulary import STRATA, Intensity, LeverClass
from demur.warehouse.home import Home

CONFIG = read_round_config(SHIPPED / "embedded.yaml")
CATALOGUE = load_catalogue()
LEVERS = CATALOGUE.stratum(LeverClass.AMBIGUITY, Intensity.LOW)


def context(seed: int = 1, replicates: int = 1) -> RoundContext:
    generation = CONFIG.generation.model_copy(update={"lever_choice": "assigned", "replicates": replicates})
    config = CONFIG.model_copy(update={"generation": generation})
    return RoundContext(Home(Path("unused")), config, Path("unused"), "test", seed)


def draws(places: set[int]) -> dict[str, int]:
    return {f"base-{place}": place for place in places}


@given(st.sets(st.integers(0, 60), min_size=1, max_size=40), st.integers(1, 3), st.integers(0, 5))
def test_assigned_no_lever_is_left_out_while_another_is_used_twice(
    places: set[int], replicates: int, seed: int
) -> None:
    assigned = assigned_levers(context(seed, replicates), draws(places), LEVERS, "one")
    assert len(assigned) == len(places) * replicates
    uses = Counter(lever.id for lever in assigned.values())
    assert len(uses) == min(len(LEVERS), len(assigned))


@given(st.integers(1, 60), st.sampled_from(STRATA))
def test_assigned_uses_differ_by_one_where_every_base_passed_the_screen(
    bases: int, stratum: tuple[LeverClass, Intensity]
) -> None:
    levers = CATALOGUE.stratum(*stratum)
    uses = Counter(lever.id for lever in assigned_levers(context(), draws(set(range(bases))), levers, "one").values())
    counts = [uses[lever.id] for lever in levers]
    assert max(counts) - min(counts) <= 1


def test_assigned_fewer_bases_than_levers_are_all_given_different_ones() -> None:
    assigned = assigned_levers(context(), draws({0, 1, 2}), LEVERS, "one")
    assert len({lever.id for lever in assigned.values()}) == 3


def test_assigned_generators_have_orders_of_their_own_so_that_they_cover_more_together() -> None:
    place = draws(set(range(4)))
    one, two = (assigned_levers(context(), place, LEVERS, name) for name in ("one", "two"))
    assert one != two
    assert len({lever.id for lever in (*one.values(), *two.values())}) > 4


def test_assigned_is_the_same_every_time_and_another_with_another_seed() -> None:
    place = draws(set(range(12)))
    assert assigned_levers(context(), place, LEVERS, "one") == assigned_levers(context(), place, LEVERS, "one")
    assert assigned_levers(context(1), place, LEVERS, "one") != assigned_levers(context(2), place, LEVERS, "one")


def test_assigned_base_that_joins_late_changes_next_to_nothing_for_the_others() -> None:
    before = assigned_levers(context(), draws(set(range(40)) - {3}), LEVERS, "one")
    after = assigned_levers(context(), draws(set(range(40))), LEVERS, "one")
    assert sum(after[slot] != lever for slot, lever in before.items()) <= 1
