"""The sample of a stratum: no larger than its quota, even over generators, bases and levers, the same every time."""

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from demur.configuration.round_config import SHIPPED
from demur.engine.context import RoundContext
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.items.assemble import sample_stratum
from demur.levers.vocabulary import Intensity, LeverClass
from demur.warehouse.home import Home

CONFIG = read_round_config(SHIPPED / "rules.yaml")
ROLES = CONFIG.roles.model_copy(update={"generators": ("one", "two", "three")})
STRATUM = (LeverClass.AMBIGUITY, Intensity.LOW)


def row(generator: str, base: int, lever: str = "v1") -> dict[str, str]:
    """Return an accepted perturbation."""
    named = f"{generator}-{base}"
    return {"perturbation_id": named, "generator": generator, "base_id": f"b{base}", "lever_id": lever}


accepted_rows = st.lists(
    st.tuples(st.sampled_from(["one", "two", "three"]), st.integers(0, 9)), max_size=60, unique=True
).map(lambda pairs: [row(g, b) for g, b in pairs])


def context(quota: int, seed: int = 1) -> RoundContext:
    config = CONFIG.model_copy(update={"items_per_stratum": quota, "roles": ROLES})
    return RoundContext(Home(Path("unused")), config, Path("unused"), "test", seed)


@given(accepted_rows, st.integers(1, 30))
def test_sample_takes_each_perturbation_once_and_fills_the_quota_where_it_can(
    accepted: list[dict[str, str]], quota: int
) -> None:
    chosen = sample_stratum(context(quota), *STRATUM, accepted)
    ids = [row["perturbation_id"] for row in chosen]
    assert len(ids) == len(set(ids)) == min(quota, len(accepted))


@given(accepted_rows, st.integers(1, 30))
def test_sample_gives_no_generator_more_than_one_beyond_another_that_has_some_left(
    accepted: list[dict[str, str]], quota: int
) -> None:
    chosen = Counter(row["generator"] for row in sample_stratum(context(quota), *STRATUM, accepted))
    stock = Counter(row["generator"] for row in accepted)
    for generator, available in stock.items():
        if chosen[generator] < available:
            assert all(count <= chosen[generator] + 1 for count in chosen.values())


def test_sample_spreads_over_bases() -> None:
    accepted = [row(g, b) for g in ("one", "two") for b in range(6)]
    bases = Counter(row["base_id"] for row in sample_stratum(context(6), *STRATUM, accepted))
    assert max(bases.values()) == 1
