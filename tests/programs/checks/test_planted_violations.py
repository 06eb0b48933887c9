"""Each check must catch what is planted against it: mutated good instances, the share caught at least .98."""

from collections.abc import Callable, Iterator

import pytest

from demur.levers.instances import Perturbation
from demur.programs.checks.changes import CheckName, Outcome
from demur.programs.checks.run import check
from tests.programs.checks.good_instances import Good, good_instances
from tests.programs.checks.planted import PLANTED


@pytest.mark.parametrize(("planted", "name", "mutate"), PLANTED, ids=[p[0] for p in PLANTED])
def test_check_planted_violation_is_caught(
    planted: str,
    name: CheckName,
    mutate: Callable[[Good], Iterator[Perturbation]],
    record_property: Callable[[str, object], None],
) -> None:
    caught, missed = 0, []
    mutants = [(good, mutant) for good in good_instances() for mutant in mutate(good)]
    for good, mutant in mutants[:: max(1, len(mutants) // 300)]:  # benchmarks/planted_violations.py plants them all
        results = {r.name: r for r in check(good.base, mutant, good.lever, good.stratum)}
        if results[name].outcome is Outcome.FAIL:
            caught += 1
        else:
            missed.append(f"{good.lever.id}: {results[name].evidence} <- {mutant}")
    total = caught + len(missed)
    assert total >= 40
    share = caught / total
    record_property("share_caught", share)
    print(f"{planted}: {caught} of {total} caught ({share:.3f})")
    assert share >= 0.98, "\n".join(missed[:12])
