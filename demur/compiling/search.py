"""How instructions and demonstrations are searched for, on which cases, and how many requests that takes at most."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from demur.programs.compiled.kinds import JudgedCase

REFLECTED: Final = 3
"""Cases that GEPA looks at before it writes new instructions."""


class Optimizer(StrEnum):
    """How instructions and demonstrations are chosen."""

    BOOTSTRAP = "bootstrap"
    MIPRO = "mipro"
    GEPA = "gepa"


@dataclass(frozen=True, slots=True)
class Parts:
    """Cases by what they serve for; no group of cases is in two parts."""

    train: Sequence[JudgedCase]
    validation: Sequence[JudgedCase]
    held_out: Sequence[JudgedCase]


@dataclass(frozen=True, slots=True)
class Search:
    """How an optimiser searches: candidates that it tries (`trials`), threads that ask, seed."""

    optimizer: Optimizer
    trials: int
    threads: int
    seed: int

    @property
    def candidates(self) -> int:
        """Sets of demonstrations, and instructions, that MIPRO makes before it combines them."""
        return max(2, self.trials // 2)


def most_requests(search: Search, parts: Parts) -> int:
    """Return about how many requests a compilation sends at most; replies that must be mended come on top."""
    train = len(parts.train)
    validation = len(parts.validation)
    held_out = len(parts.held_out)
    if search.optimizer is Optimizer.BOOTSTRAP:
        return train + 2 * held_out
    if search.optimizer is Optimizer.MIPRO:
        return search.candidates * (train + 5) + (search.trials + 2) * validation + 10 + 2 * held_out
    return metric_calls(search, parts) + validation + search.trials + 2 * held_out


def metric_calls(search: Search, parts: Parts) -> int:
    """Return how many replies GEPA may look at."""
    return len(parts.validation) + search.trials * (2 * min(REFLECTED, len(parts.train)) + len(parts.validation))
