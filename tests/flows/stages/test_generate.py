"""A generator that plants nothing usable ends the round early."""

import pytest

from demur.flows.stages.items.generate import HOPELESS, UsableWorks
from demur.programs.errors import Halted


def test_generator_none_of_whose_first_perturbations_can_be_used_is_told_with_the_most_frequent_reason() -> None:
    works = UsableWorks()
    for _ in range(HOPELESS - 2):
        works.note("weak", "rejected", "one_change")
        works.note("good", "rejected", "one_change")
    works.note("good", "candidate", "")
    works.note("weak", "declined", "nothing fits")
    with pytest.raises(
        Halted, match=r"none of the first 24 perturbations of 'weak' can be used \(22 of them rejected:"
    ):
        works.note("weak", "rejected", "no_leak")
    for _ in range(HOPELESS):
        works.note("good", "rejected", "one_change")
