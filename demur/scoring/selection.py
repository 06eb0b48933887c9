"""Chooses items by how hard they are, a part of them at random, with the probability that each had of being chosen.

The random part is drawn first, systematically over source questions, so that it spreads over them. The part chosen by
difficulty is then filled from what is left, nearest to the target first, from source questions that have none yet. All
that is random is where the systematic draw starts, one of so many equally likely starts: every one of them is gone
through, and the share of them that choose an item is its inclusion probability, exactly, whatever the second rule is.

A weighted sum over chosen items, each with the weight of what a draw of as many at random would have included it by
divided by its inclusion probability, is therefore without bias for what the random draw would have given
(Horvitz-Thompson); a ratio of two such sums is what scores are made of (Hajek).
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from demur.scoring.errors import ScoringError

STARTS: Final = 1_000
"""Equally likely starts of the systematic draw; as many as candidates where these are more."""
PRIOR: Final = 1.0
"""Responses that what is known of the next larger group counts for, as of its lever for an item."""


@dataclass(frozen=True, slots=True)
class Probed:
    """A candidate's groups, from the largest to the smallest, and how many of the responses to it were right."""

    groups: tuple[Hashable, ...]
    right: int
    responses: int


@dataclass(frozen=True, slots=True)
class ChosenItem:
    """A chosen candidate by its place among all: by difficulty or at random, how likely it was, and what it weighs."""

    at: int
    by_difficulty: bool
    inclusion: float
    weight: float


def chances_right(candidates: Sequence[Probed]) -> list[float]:
    """Return each candidate's chance of a right response, shrunk towards that of its groups, of all, and one half."""
    sums: defaultdict[tuple[Hashable, ...], list[int]] = defaultdict(lambda: [0, 0])
    for one in candidates:
        for level in range(len(one.groups) + 1):
            group = sums[one.groups[:level]]
            group[0] += one.right
            group[1] += one.responses
    found = []
    for one in candidates:
        chance = 0.5
        for level in range(len(one.groups) + 1):
            right, responses = sums[one.groups[:level]]
            chance = _shrunk(right, responses, chance)
        found.append(_shrunk(one.right, one.responses, chance))
    return found


def _shrunk(right: int, responses: int, towards: float) -> float:
    return (right + PRIOR * towards) / (responses + PRIOR)


def shares(wanted: Sequence[int], max_share: float) -> list[int]:
    """Return how many of each group's wanted items are chosen by difficulty: at most the share in all, never all."""
    found = []
    before = 0
    total = 0
    for number in wanted:
        total += number
        chosen = max(min(int(max_share * total + 1e-9) - before, number - 1), 0)
        found.append(chosen)
        before += chosen
    return found


def draw(
    distances: Sequence[float], sources: Sequence[str], wanted: int, by_difficulty: int, rng: Random
) -> list[ChosenItem]:
    """Return the chosen candidates, in their order.

    Args:
        distances: how far each candidate is from the difficulty that is wanted.
        sources: the source question of each.
        wanted: how many are to be chosen; all are where there are no more.
        by_difficulty: how many of these by difficulty, fewer than `wanted`.
        rng: where order and start come from.

    Raises:
        ScoringError: none would be drawn at random, so that most candidates could never be chosen.
    """
    size = len(distances)
    possible = samples(distances, sources, wanted, by_difficulty, rng)
    times = Counter(at for sample in possible for at in sample)
    inclusion = {at: number / len(possible) for at, number in times.items()}
    weight = min(wanted / size, 1.0) if size else 1.0
    return [
        ChosenItem(at, by_difficulty, inclusion[at], weight / inclusion[at])
        for at, by_difficulty in sorted(possible[rng.randrange(len(possible))].items())
    ]


def samples(
    distances: Sequence[float], sources: Sequence[str], wanted: int, by_difficulty: int, rng: Random
) -> list[dict[int, bool]]:
    """Return all samples that `draw` chooses among, equally likely: places, and whether each is there by difficulty.

    Raises:
        ScoringError: as `draw`.
    """
    if not 0 <= by_difficulty < max(wanted, 1):
        raise ScoringError(
            f"selection: {by_difficulty} of {wanted} items by difficulty leave none to be drawn at random"
        )
    size = len(distances)
    if size <= wanted:
        return [dict.fromkeys(range(size), False)]
    places = dict.fromkeys(sources)
    shuffled = dict(zip(places, rng.sample(range(len(places)), len(places)), strict=True))
    ties = [rng.random() for _ in range(size)]
    order = sorted(range(size), key=lambda at: (shuffled[sources[at]], ties[at]))
    ranking = sorted(range(size), key=lambda at: (distances[at], ties[at]))
    starts = max(STARTS, size)
    at_random = wanted - by_difficulty
    return [
        dict(_sample(order, ranking, sources, at_random, wanted, (start + 0.5) / starts)) for start in range(starts)
    ]


def _sample(
    order: Sequence[int], ranking: Sequence[int], sources: Sequence[str], at_random: int, wanted: int, start: float
) -> Iterator[tuple[int, bool]]:
    """Yield the sample of one start: places, and whether they are chosen by difficulty."""
    step = len(order) / at_random
    drawn = {order[int((start + number) * step)] for number in range(at_random)}
    yield from dict.fromkeys(drawn, False).items()
    used = {sources[at] for at in drawn}
    left = wanted - at_random
    passed: list[int] = []
    for at in ranking:
        if not left:
            return
        if at in drawn:
            continue
        if sources[at] in used:
            passed.append(at)
            continue
        used.add(sources[at])
        left -= 1
        yield at, True
    yield from dict.fromkeys(passed[:left], True).items()
