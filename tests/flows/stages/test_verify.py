"""What verifiers are asked, and what the table of verdicts holds."""

from demur.programs.signatures.verification import CHECKS, OF_REFUSALS
from demur.rules.roles.verify import Check
from demur.warehouse.schemas import models
from demur.warehouse.schemas.generation import Applies, verdict_checks
from demur.warehouse.tables import Table


def test_checks_of_a_verdict_are_those_that_verifiers_are_asked_and_rules_judge() -> None:
    declared = verdict_checks(models()[Table.VERDICTS])
    assert tuple(declared) == CHECKS == tuple(Check)
    assert tuple(name for name, applies in declared.items() if applies is Applies.TO_REFUSALS) == OF_REFUSALS
    assert [name for name, applies in declared.items() if applies is Applies.WITH_STRATEGY] == ["strategy_compliance"]
