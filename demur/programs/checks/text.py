"""A check of changed text: it contains no sign of the test."""

from demur.levers.models import Lever
from demur.programs.checks.diff import InstanceDiff
from demur.programs.checks.leaks import LEAKS, name_of
from demur.programs.checks.results import CheckName, CheckResult, Evidence, failed, passed


def no_leak(found: InstanceDiff, lever: Lever | None) -> CheckResult:
    """Check that the change adds no sign of the test: code, class name, lever name, instruction, JSON or marker."""
    name = CheckName.NO_LEAK
    for index, part in found.parts:
        where = "the question" if index is None else f"passage {index}"
        patterns = LEAKS if lever is None else (*LEAKS, ("the lever's name", name_of(lever.name)))
        for what, pattern in patterns:
            known = {m.group().casefold() for m in pattern.finditer(part.old)}
            for match in pattern.finditer(part.new):
                if match.group().casefold() not in known:
                    spans = (Evidence(index, match.start(), match.end(), match.group()),)
                    return failed(name, f"{where} holds {what}: '{match.group()}'", spans)
    return passed(name, "nothing of the machinery stands in the text added")
