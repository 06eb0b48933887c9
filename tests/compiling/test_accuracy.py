"""What is told of a compilation: accuracy on held-out cases, with intervals, and whether it helped."""

from collections.abc import Callable

from demur.compiling.accuracy import ALIKE, HeldOutAccuracy, Share, held_out_accuracy
from demur.compiling.measuring import CaseScores
from demur.programs.compiled.kinds import CaseScore, JudgedCase


def measured(right: list[int], group_of: Callable[[int], int]) -> CaseScores:
    """Cases of two truths each, both true; the first `right` names of a case are told right."""
    cases = [JudgedCase(str(group_of(at)), {}, {"a": True, "b": at % 4 > 0}) for at in range(len(right))]
    return CaseScores(tuple((case, CaseScore(count, 2, "")) for case, count in zip(cases, right, strict=True)))


def test_held_out_accuracy_pairs_its_change_and_knows_what_guessing_gets() -> None:
    before, after = measured([1, 0] * 20, lambda at: at), measured([2, 1] * 20, lambda at: at)
    others = [JudgedCase("x", {}, {"a": True, "b": False})]
    found = held_out_accuracy(before, after, others, 0)
    assert found.before.value == 0.25 and found.after.value == 0.75 and found.groups == 40
    assert found.before.low is not None and found.before.low < 0.25 < (found.before.high or 0)
    assert found.change == Share(0.5, None, None, ALIKE) and found.better and found.moved == 40
    assert found.commonest == (40 + 10) / 80, "a is always true, b false in every fourth case"


def test_held_out_accuracy_resamples_groups_not_cases() -> None:
    right = [2 if at % 40 < 20 else 0 for at in range(200)]

    def found(cases_of_a_group: int) -> HeldOutAccuracy:
        before, after = (measured(one, lambda at: at // cases_of_a_group) for one in ([0] * 200, right))
        return held_out_accuracy(before, after, [], 0)

    alone, together, few = found(1), found(20), found(100)
    assert alone.after.value == together.after.value == few.after.value == 0.5
    widths = [(one.after.high or 0) - (one.after.low or 0) for one in (alone, together)]
    assert widths[1] > 2 * widths[0] and alone.better
    assert few.after == Share(0.5, None, None, "fewer than 5 groups") and not few.better
    assert "after:  50.0% (no interval: fewer than 5 groups)" in few.summary()
