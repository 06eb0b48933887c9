"""Reviews of a respondent for its owner, and thresholds with which a build passes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree

import pandas as pd

from demur.errors import ConfigError, FlowError
from demur.flows.evaluations.boards import judged_responses
from demur.flows.evaluations.evaluation_request import copies_seen
from demur.reports.comparison_pages import Review
from demur.reports.names import CLASSES
from demur.reports.tables import named_table
from demur.reports.tables.formats import rate
from demur.scoring.metrics import METRIC_NAMES
from demur.scoring.model_comparisons import holm, mcnemar_exact
from demur.scoring.responses import read_responses
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# Reviews of a respondent for its owner: the defects that it missed, and changes since the evaluation before.


PARTS: Final = {None: "Controls", "all": "All perturbed items"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """The entry of one respondent of an evaluation, as judged by one judge.

    `version` is the given version of a system, or None. `before` is the id of the newest earlier evaluation on the same
    board that has a respondent of this name; None if there is none.
    """

    round_id: str
    respondent: str
    judge: str
    release: str
    prompts: str
    provider: str | None
    version: str | None
    state: str
    before: str | None
    prompts_digest: str


def reviews(con: Connection, evaluation: str, respondent: str | None = None) -> list[Review]:
    """Return the reviews of an evaluation, one for each respondent and judge.

    If `respondent` is not None, only the reviews of this respondent are returned. Otherwise baselines of the rules lane
    are left out, unless all respondents are baselines.

    Raises:
        FlowError: the evaluation or respondent does not exist, or the evaluation is not scored.
    """
    entries = [_Entry(**row) for row in records(con, "review_entries", [evaluation])]
    if not entries:
        raise FlowError(
            f"evaluation '{evaluation}': does not exist or is not scored. `demur evaluations list` shows all "
            "evaluations"
        )
    if respondent is not None:
        chosen = [entry for entry in entries if entry.respondent == respondent]
        if not chosen:
            known = ", ".join(dict.fromkeys(entry.respondent for entry in entries))
            raise FlowError(f"respondent '{respondent}' is not one of {known}")
    else:
        chosen = [entry for entry in entries if entry.provider != "rules"] or entries
    return [_review(con, entry) for entry in chosen]


def _review(con: Connection, entry: _Entry) -> Review:
    bound = {"round": entry.round_id, "respondent": entry.respondent, "judge": entry.judge}
    return Review(
        evaluation=entry.round_id,
        respondent=entry.respondent,
        version=entry.version,
        judge=entry.judge,
        release=entry.release,
        prompts=entry.prompts,
        state=entry.state,
        before=entry.before,
        scores=named_table("review_scores").read(con, **bound),
        answers=named_table("review_answers").read(con, round=entry.round_id, respondent=entry.respondent),
        defects=named_table("review_defects").read(con, **bound),
        changes=named_table("review_changes").shown([] if entry.before is None else list(_changes(con, entry))),
        worst=named_table("review_worst").read(con, **bound),
        retrieval=named_table("review_retrieval").read(con, **bound),
        failures=named_table("failures").read(con, round=entry.round_id),
        copies_seen=copies_seen(con, entry.round_id, entry.prompts_digest),
    )


def _changes(con: Connection, entry: _Entry) -> Iterator[dict[str, Any]]:
    """Compare the right responses of an evaluation with those of the evaluation before.

    Yield a row for each class, a row for the controls and a row for all perturbed items. Rows are sorted by the number
    of gained responses (wrong before, right now) minus lost responses, so the largest loss comes first.
    """
    now, before = (_right(con, entry, round_id) for round_id in (entry.round_id, str(entry.before)))
    both = now.merge(before, on=["item_id", "replicate"], suffixes=("", "_before"))
    perturbed = both[both["class"].notna()]
    parts = [("all", perturbed), *((name, rows) for name, rows in both.groupby("class", dropna=False))]
    found = [_change(None if pd.isna(name) else str(name), rows) for name, rows in parts if len(rows)]
    adjusted = holm([row["p_value"] for row in found])
    rows = [{**row, "p_value_holm": p} for row, p in zip(found, adjusted, strict=True)]
    yield from sorted(rows, key=lambda row: (row["gained"] - row["lost"], row["p_value_holm"], row["part"]))


def _right(con: Connection, entry: _Entry, round_id: str) -> pd.DataFrame:
    key = {"round_id": round_id, "respondent": entry.respondent, "judge": entry.judge}
    rows = judged_responses(con, key, {(round_id, entry.respondent): entry.respondent})
    return rows[["item_id", "replicate", "class"]].assign(right=read_responses(rows).accurate)


def _change(name: str | None, rows: pd.DataFrame) -> dict[str, Any]:
    lost = int((rows["right_before"] & ~rows["right"]).sum())
    gained = int((~rows["right_before"] & rows["right"]).sum())
    return {
        "part": PARTS.get(name) or CLASSES.get(str(name), str(name)),
        "items": len(rows),
        "right_before": float(rows["right_before"].mean()),
        "right_now": float(rows["right"].mean()),
        "lost": lost,
        "gained": gained,
        "p_value": mcnemar_exact(lost, gained),
    }


# Thresholds of evaluations: the lowest scores with which a build passes, and the JUnit file with the result.


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
