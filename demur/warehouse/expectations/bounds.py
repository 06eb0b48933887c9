"""Bounds of sample expectations."""

from dataclasses import dataclass

from demur.warehouse.expectations.declared import Expectation


@dataclass(frozen=True, slots=True)
class GateBounds:
    """Bounds on shares of a round's samples, from 0 to 1.

    `screening`, `acceptance` and `coverage` are the lowest shares of base instances solved, candidates accepted and a
    stratum's quota filled. `balance` is the lowest share of items from one generator, times the number of generators.
    `invalid` is the highest share of INVALID responses. `near_copies` is the highest share of items whose planted text
    has a near copy in the round. `asked` is the lowest share of asked passages with an accepted question.
    """

    screening: float
    acceptance: float
    coverage: float
    balance: float
    invalid: float
    near_copies: float
    asked: float = 0.0

    def share(self, measure: Expectation, subjects: int) -> float:
        """Return the bound of a measure for each of its subjects; `subjects` is their number."""
        bound: float = getattr(self, measure.name)
        return bound / max(subjects, 1) if measure.name == "balance" else bound

    def text(self, measure: Expectation) -> str:
        """Return the bound of a measure as text, such as "at least 0.5"."""
        word = "at least" if measure.at_least else "at most"
        times = " of an even share" if measure.name == "balance" else ""
        return f"{word} {getattr(self, measure.name):g}{times}"
