"""Bounds of sample expectations."""

from dataclasses import dataclass

from demur.warehouse.expectations.declared import Expectation


@dataclass(frozen=True, slots=True)
class GateBounds:
    """Bounds on shares of a round's samples, from 0 to 1.

    `screening` is the lowest share of base instances that are solved. `acceptance` is the lowest share of candidates
    that are accepted. `coverage` is the lowest share of a stratum's quota that is filled. `balance` bounds the share of
    each generator's items; the lowest allowed share is `balance` divided by the number of generators. `invalid` is the
    highest share of INVALID responses. `near_copies` is the highest share of items whose planted text nearly equals the
    planted text of another item. `last_sentence` is the highest share of items with changed passages whose change is
    their last sentence. `asked` is the lowest share of passages that gave an accepted question, among the
    passages that askers got.
    """

    screening: float
    acceptance: float
    coverage: float
    balance: float
    invalid: float
    near_copies: float
    asked: float = 0.0
    last_sentence: float = 1.0

    def share(self, measure: Expectation, subjects: int) -> float:
        """Return the bound that each subject of `measure` must meet.

        A subject may be a generator. The bound of `balance` is divided by `subjects`, the number of subjects.
        """
        bound: float = getattr(self, measure.name)
        return bound / max(subjects, 1) if measure.name == "balance" else bound

    def text(self, measure: Expectation) -> str:
        """Return the bound of a measure as text, such as "at least 0.5"."""
        word = "at least" if measure.at_least else "at most"
        times = " of an even share" if measure.name == "balance" else ""
        return f"{word} {getattr(self, measure.name):g}{times}"
