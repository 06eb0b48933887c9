"""Each check must catch what is planted against it: mutated good instances, the share caught at least .98."""

from collections.abc import Callable, Iterator

import pytest

from demur.levers.instances import Perturbation
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.checks.results import CheckName, Outcome
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
    for good in good_instances():
        for mutant in mutate(good):
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


def test_lever_in_stratum_other_stratum_fails() -> None:
    for good in good_instances():
        for lever_class in LeverClass:
            for intensity in Intensity:
                if (lever_class, intensity) == (good.lever.lever_class, good.lever.intensity):
                    continue
                stratum = good.stratum.model_copy(update={"lever_class": lever_class, "intensity": intensity})
                results = check(good.base, good.perturbation, None, stratum)
                assert results[0].outcome is Outcome.FAIL
        break
