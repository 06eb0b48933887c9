"""Thresholds of evaluations: the lowest scores with which a build passes, and the JUnit file with the result."""

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
    """The lowest score of a metric with which a build passes. `name` is the metric's name as the user wrote it."""

    name: str
    metric: str
    least: float


@dataclass(frozen=True, slots=True)
class ThresholdCheck:
    """The comparison of a score with a threshold.

    If `value` is None, the score is undefined, `reason` says why, and the threshold is not met.
    """

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
    """Return the thresholds in the texts of the option `--fail-under`.

    A text is METRIC=VALUE with a value from 0 to 1. Several such pairs in one text are separated by commas.

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
            raise ConfigError(f"--fail-under '{text}': '{least}' is not a share from 0 to 1. Write it as {SHAPE}")
        found[metric] = Threshold(name, metric, float(least))
    return list(found.values())


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def checks(con: Connection, evaluation: str, thresholds: Sequence[Threshold]) -> list[ThresholdCheck]:
    """Compare the overall scores of every respondent under every judge with all thresholds."""
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
    """Return the text of a JUnit file: a suite for each respondent with its judge, a case for each threshold."""
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
