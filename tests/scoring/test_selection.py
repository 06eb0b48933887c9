"""Items chosen by difficulty: which, how likely each was, and that weighted sums tell of all candidates."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.scoring.errors import ScoringError
from demur.scoring.selection import STARTS, Probed, chances_right, draw, samples, shares

pools = st.integers(1, 24).flatmap(
    lambda size: st.tuples(
        st.lists(st.floats(0, 1), min_size=size, max_size=size),
        st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=size, max_size=size),
        st.integers(1, 12),
        st.integers(0, 2**32),
    )
)


@given(pools)
def test_draw_gives_each_once_with_what_it_was_and_how_likely(pool: tuple[list[float], list[str], int, int]) -> None:
    distances, sources, wanted, seed = pool
    chosen = draw(distances, sources, wanted, wanted // 2, Random(seed))
    assert len({one.at for one in chosen}) == len(chosen) == min(wanted, len(distances))
    assert all(0 < one.inclusion <= 1 for one in chosen)
    assert sum(one.by_difficulty for one in chosen) == (wanted // 2 if len(distances) > wanted else 0)
    assert chosen == draw(distances, sources, wanted, wanted // 2, Random(seed))


def test_draw_weighted_sum_over_all_samples_is_that_of_a_random_draw_exactly() -> None:
    size, wanted = 37, 10
    distances = [abs((at * 7 % 10) / 10 - 0.5) for at in range(size)]
    sources = [f"s{at // 2}" for at in range(size)]
    outcome = [float(at * 7 % 10 < 4) for at in range(size)]
    possible = samples(distances, sources, wanted, 5, Random(3))
    seen = [0.0] * size
    for sample in possible:
        for at in sample:
            seen[at] += 1 / len(possible)
    assert min(seen) >= 5 / size - 1 / STARTS and sum(seen) == pytest.approx(wanted)
    weighted = [sum(wanted / size / seen[at] * outcome[at] for at in sample) / wanted for sample in possible]
    plain = [sum(outcome[at] for at in sample) / wanted for sample in possible]
    mean = sum(outcome) / size
    assert sum(weighted) / len(possible) == pytest.approx(mean)
    assert abs(sum(plain) / len(possible) - mean) > 0.05, "as it is, the chosen sample tells of itself alone"


def test_draw_takes_the_nearest_to_the_target_and_spreads_over_sources() -> None:
    distances = [0.0] * 6 + [0.5] * 30
    sources = [f"near{at // 2}" for at in range(6)] + [f"far{at}" for at in range(30)]
    for sample in samples(distances, sources, 6, 3, Random(5))[::50]:
        hard = [at for at, by_difficulty in sample.items() if by_difficulty]
        near = {sources[at] for at in sample if at < 6}
        assert near == {"near0", "near1", "near2"}
        assert len({sources[at] for at in hard}) == len(hard)


def test_draw_without_a_random_part_is_refused() -> None:
    with pytest.raises(ScoringError, match="2 of 2 items by difficulty leave none to be drawn at random"):
        draw([0.1, 0.2, 0.3], ["a", "b", "c"], 2, 2, Random(1))


def test_shares_stay_below_the_highest_share_and_leave_one_at_random() -> None:
    assert shares([3, 3, 3], 0.5) == [1, 2, 1]
    assert shares([1, 1], 1.0) == [0, 0]
    assert shares([4], 1.0) == [3]
    assert shares([5, 5], 0.0) == [0, 0]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=5), st.floats(0, 1))
def test_shares_never_exceed_the_share_of_all(wanted: list[int], share: float) -> None:
    found = shares(wanted, share)
    assert sum(found) <= share * sum(wanted) + 1e-6
    assert all(0 <= chosen <= max(number - 1, 0) for chosen, number in zip(found, wanted, strict=True))


def test_chances_lean_on_lever_and_stratum_where_an_item_says_little() -> None:
    easy = [Probed(("s", "easy"), 1, 1) for _ in range(20)]
    hard = [Probed(("s", "hard"), 0, 1) for _ in range(20)]
    silent = [Probed(("s", "easy"), 0, 0), Probed(("s", "hard"), 0, 0), Probed(("t", "new"), 0, 0)]
    chances = chances_right([*easy, *hard, *silent])
    assert chances[-3] > 0.9 and chances[-2] < 0.1
    assert chances[-1] == pytest.approx(0.5, abs=0.02)
    missed_easy = chances_right([*easy, Probed(("s", "easy"), 0, 1)])[-1]
    assert chances[20] < missed_easy < chances[0], "one miss of an easy lever is less hard than a hard lever's"
