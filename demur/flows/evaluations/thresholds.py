"""Thresholds of evaluations: least scores for a passing build, and the result file for CI."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree

from demur.errors import ConfigError
from demur.reports.tables.formats import rate
from demur.scoring.metrics import METRIC_NAMES
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

SHORT: Final = {
    "refused": "correct_refusal_rate",
    "reason": "category_accuracy",
    "answers": "answer_accuracy",
}
"""Short names of metrics for `--fail-under`: correct refusals, correct reasons, correct answers."""
SHAPE: Final = "refused=.8,answers=.9"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least value of a metric. `name` is the metric's name as the user wrote it."""

    name: str
    metric: str
    least: float


@dataclass(frozen=True, slots=True)
class ThresholdCheck:
    """The comparison of a score with a threshold. A score without a value does not meet its threshold."""

    threshold: Threshold
    respondent: str
    judge: str
    value: float | None
    low: float | None
    high: float | None
    reason: str | None

    @property
    def is_met(self) -> bool:
        """Whether the score reaches the threshold."""
        return self.value is not None and self.value >= self.threshold.least

    def __str__(self) -> str:
        """Return the score and the threshold in words."""
        limits = "" if self.low is None or self.high is None else f" ({rate(self.low)} to {rate(self.high)})"
        found = f"has no value ({self.reason})" if self.value is None else f"is {rate(self.value)}{limits}"
        of = f"{self.respondent}, judged by {self.judge}"
        return f"{of}: {self.threshold.metric} {found}; at least {rate(self.threshold.least)} is wanted"


def read_thresholds(texts: Sequence[str]) -> list[Threshold]:
    """Return the thresholds of `--fail-under`, whose texts are METRIC=VALUE with a value from 0 to 1.

    Raises:
        ConfigError: a text is malformed, or its metric is unknown.
    """
    found = {}
    for text in (part for one in texts for part in one.split(",")):
        name, _, least = (part.strip() for part in text.partition("="))
        metric = SHORT.get(name, name)
        if metric not in METRIC_NAMES:
            raise ConfigError(
                f"--fail-under '{text}': '{name}' is not one of {', '.join((*SHORT, *METRIC_NAMES))}. "
                f"Write it as {SHAPE}"
            )
        if not _is_share(least):
            raise ConfigError(f"--fail-under '{text}': '{least}' is no share from 0 to 1. Write it as {SHAPE}")
        found[metric] = Threshold(name, metric, float(least))
    return list(found.values())


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def checks(con: Connection, evaluation: str, thresholds: Sequence[Threshold]) -> list[ThresholdCheck]:
    """Return a check for every threshold, respondent and judge of an evaluation."""
    scores: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for row in records(con, "overall_scores", [evaluation]):
        scores.setdefault((str(row["respondent"]), str(row["judge"])), {})[str(row["metric"])] = row
    return [
        ThresholdCheck(threshold, *who, **_found(own.get(threshold.metric, {})))
        for who, own in scores.items()
        for threshold in thresholds
    ]


def _found(row: Mapping[str, Any]) -> dict[str, Any]:
    values = {name: row.get(name) for name in ("value", "low", "high")}
    return {**values, "reason": row.get("reason") or "it was not counted"}


def junit(evaluation: str, found: Sequence[ThresholdCheck]) -> str:
    """Return the checks as a JUnit file: a suite per respondent and judge, a case per threshold."""
    suites = ElementTree.Element("testsuites", name="demur", tests=str(len(found)), failures=_failures(found))
    for respondent, judge in dict.fromkeys((check.respondent, check.judge) for check in found):
        own = [check for check in found if (check.respondent, check.judge) == (respondent, judge)]
        name = f"{evaluation}: {respondent}, judged by {judge}"
        suite = ElementTree.SubElement(suites, "testsuite", name=name, tests=str(len(own)), failures=_failures(own))
        for check in own:
            label = f"{check.threshold.name} at least {rate(check.threshold.least)}"
            case = ElementTree.SubElement(suite, "testcase", classname=f"demur.{respondent}", name=label)
            if not check.is_met:
                ElementTree.SubElement(case, "failure", message=str(check))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _failures(found: Sequence[ThresholdCheck]) -> str:
    return str(sum(not check.is_met for check in found))
