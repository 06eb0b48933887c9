"""Which levers to pull in the next round: those that told most of the best respondent, drawn by Thompson sampling.

Every earlier round says of a lever what one of its items tells (item response theory), and how surely. A draw from
what is known of each lever is taken for every place, and the lever with the highest wins it: levers that nobody knows
much of are tried, those known to tell little rest. Source: Thompson 1933; Chapelle and Li 2011.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

EXPLORATION = 0.25
"""Width of a draw, in standard deviations of what is known: below 1, since a series has ten rounds, not thousands."""
_WIDTH = 2.0 * 1.959963984540054
"""A 95 % interval in standard deviations."""


@dataclass(frozen=True, slots=True)
class LeverEstimate:
    """What one round says of a lever: information per item with its 95 % interval, and on how many items."""

    lever_id: str
    items: int
    information: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """The standard deviation that the interval stands for."""
        return max((self.high - self.low) / _WIDTH, 1e-6)


@dataclass(frozen=True, slots=True)
class LeverState:
    """What all earlier rounds together say of a lever: `spread` is the standard deviation of what is known.

    A lever without rounds has the mean of all, and is as uncertain as levers differ.
    """

    lever_id: str
    rounds: int
    items: int
    information: float
    spread: float


def lever_states(levers: Sequence[str], rounds: Iterable[Sequence[LeverEstimate]]) -> list[LeverState]:
    """Return the states of these levers, in their order, from the estimates of all levers by earlier rounds.

    A round's estimates lean on what all of its levers have in common. That is taken off them before rounds are put
    together and counts once, so that what is known of a lever grows with every round that pulled it.
    """
    known = [_Round.of(estimates) for estimates in rounds if estimates]
    mean = sum(one.mean for one in known) / max(len(known), 1)
    precision = len(known) / sum(one.variance for one in known) if known else 1.0
    states = []
    for lever in levers:
        found = [(one, one.estimates[lever]) for one in known if lever in one.estimates]
        own = [one.own(estimate) for one, estimate in found]
        total = precision + sum(weight for weight, _ in own)
        value = (precision * mean + sum(pull for _, pull in own)) / total
        items = sum(estimate.items for _, estimate in found)
        states.append(LeverState(lever, len(found), items, max(value, 0.0), total**-0.5))
    return states


@dataclass(frozen=True, slots=True)
class _Round:
    """One round's estimates by lever, with the mean and the variance of information over its levers."""

    estimates: Mapping[str, LeverEstimate]
    mean: float
    variance: float

    @classmethod
    def of(cls, estimates: Sequence[LeverEstimate]) -> "_Round":
        mean = sum(estimate.information for estimate in estimates) / len(estimates)
        square = sum((estimate.information - mean) ** 2 + estimate.spread**2 for estimate in estimates)
        return cls({estimate.lever_id: estimate for estimate in estimates}, mean, square / len(estimates))

    def own(self, estimate: LeverEstimate) -> tuple[float, float]:
        """Return precision and precision times value of what a lever's own items say, beyond what all say."""
        weight = 1.0 / estimate.spread**2 - 1.0 / self.variance
        if weight <= 0.0:
            return 0.0, 0.0
        return weight, estimate.information / estimate.spread**2 - self.mean / self.variance


def draw_lever(fitting: Iterable[str], states: Mapping[str, LeverState], rng: Random) -> str:
    """Return the lever with the highest draw among those that fit; there must be one."""
    draws = [(rng.gauss(states[lever].information, EXPLORATION * states[lever].spread), lever) for lever in fitting]
    return max(draws)[1]
