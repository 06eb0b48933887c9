"""How the respondents did: leaderboard, kinds of response, scores by class, intensity curves, confusion matrices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from demur.reports.confusion import Confusions, confusions
from demur.reports.frames import records
from demur.reports.names import CLASSES, INTENSITIES, KINDS, in_order
from demur.reports.text import is_known, plain

LEADERBOARD: Final = (
    "answer_accuracy",
    "refusal_accuracy",
    "false_refusal_rate",
    "missed_refusal_rate",
    "control_refusal_rate",
    "invalid_rate",
)
_NOT_SCORED: Final = "not scored"


@dataclass(frozen=True, slots=True)
class Score:
    """A metric's value with its 95 % interval, all in [0, 1]; None with a reason where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    reason: str = ""

    @property
    def has_interval(self) -> bool:
        """True if both ends are known."""
        return self.low is not None and self.high is not None


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the leaderboard; `cells` in the order of LEADERBOARD."""

    respondent: str
    judge: str
    is_rules: bool
    responses: int
    judged: int
    planned: int
    headline: Score
    cells: tuple[Score, ...]
    mean_reward: float | None

    @property
    def is_incomplete(self) -> bool:
        """True if fewer responses were judged than the round plans; the others count as INVALID."""
        return self.judged < self.planned


@dataclass(frozen=True, slots=True)
class Curve:
    """A metric of one respondent at every intensity."""

    respondent: str
    judge: str
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One respondent's scores, a column each."""

    respondent: str
    judge: str
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class Standings:
    """All that the sections on respondents show."""

    rows: tuple[Standing, ...]
    several_judges: bool
    kinds: tuple[Row, ...]
    classes: tuple[str, ...]
    by_class: tuple[Row, ...]
    intensities: tuple[str, ...]
    curves: tuple[Curve, ...]
    refusals: tuple[Row, ...]
    confusions: Confusions
    partial: tuple[int, int] | None
    """Responses judged and planned over all lines, where any are missing."""

    @property
    def best(self) -> Standing | None:
        """The line with the highest calibrated refusal score; None where none is defined."""
        known = [(row.headline.value, row) for row in self.rows if row.headline.value is not None]
        return max(known, key=lambda pair: pair[0])[1] if known else None


class Scores:
    """The scores of a round, found by respondent, judge, slice and metric."""

    def __init__(self, frame: pd.DataFrame) -> None:
        columns = ("respondent", "judge", "slice", "slice_value", "metric", "value", "low", "high", "n", "reason")
        self._found: dict[tuple[str, ...], Score] = {}
        self._values: dict[str, list[str]] = {}
        for *key, value, low, high, n, reason in frame[list(columns)].itertuples(index=False, name=None):
            self._found[tuple(map(str, key))] = _score(value, low, high, n, reason)
            self._values.setdefault(str(key[2]), []).append(str(key[3]))

    def get(self, who: tuple[str, str], slice_: str, value: str, metric: str) -> Score:
        """Return a score; one without a value where the round has none."""
        return self._found.get((*who, slice_, value, metric), Score(None, reason=_NOT_SCORED))

    def values(self, slice_: str) -> list[str]:
        """Return the values of a slice, as they come."""
        return list(dict.fromkeys(self._values.get(slice_, [])))


def _score(value: object, low: object, high: object, n: object, reason: object) -> Score:
    return Score(
        float(value) if is_known(value) else None,
        float(low) if is_known(low) else None,
        float(high) if is_known(high) else None,
        int(n) if is_known(n) else None,
        plain(reason),
    )


def standings(
    leaderboard: pd.DataFrame, scores: pd.DataFrame, confusion: pd.DataFrame, planned: int, rules: Sequence[str]
) -> Standings:
    """Return how the respondents did; `planned` is how many responses to perturbed items each was asked for."""
    found = Scores(scores)
    rows = tuple(_standing(record, found, planned, rules) for record in records(leaderboard))
    everybody = list(dict.fromkeys([(row.respondent, row.judge) for row in rows] + _pairs(scores)))
    classes = in_order(found.values("class"), CLASSES)
    intensities = in_order(found.values("intensity"), INTENSITIES)
    curves = [
        Curve(*who, tuple(found.get(who, "intensity", at, "refusal_rate") for at in intensities)) for who in everybody
    ]
    kinds = [
        Row(*who, tuple(found.get(who, "overall", "overall", f"share_{kind}") for kind in KINDS)) for who in everybody
    ]
    strata = [f"{name}, {level}" for name in classes for level in intensities]
    incomplete = any(row.is_incomplete for row in rows)
    return Standings(
        rows=rows,
        several_judges=len({judge for _, judge in everybody}) > 1,
        kinds=tuple(row for row in kinds if _is_scored(row.scores)),
        classes=tuple(CLASSES.get(name, name) for name in classes),
        by_class=tuple(
            Row(*who, tuple(found.get(who, "class", name, "refusal_accuracy") for name in classes)) for who in everybody
        ),
        intensities=tuple(INTENSITIES.get(level, level) for level in intensities),
        curves=tuple(curve for curve in curves if _is_scored(curve.scores)),
        refusals=tuple(
            Row(*who, tuple(found.get(who, "class, intensity", at, "refusal_rate") for at in strata))
            for who in everybody
        ),
        confusions=confusions(confusion, everybody),
        partial=(sum(row.judged for row in rows), sum(row.planned for row in rows)) if incomplete else None,
    )


def _is_scored(scores: Iterable[Score]) -> bool:
    return any(score.value is not None for score in scores)


def _standing(record: Mapping[str, object], scores: Scores, planned: int, rules: Sequence[str]) -> Standing:
    who = (str(record["respondent"]), str(record["judge"]))
    headline = scores.get(who, "overall", "overall", "calibrated_refusal_score")
    shown = _score(
        record["calibrated_refusal_score"], record["crs_low"], record["crs_high"], headline.n, headline.reason
    )
    responses, reward = record["responses"], record["mean_reward"]
    scored = int(responses) if is_known(responses) else 0
    judged, asked = record.get("judged"), record.get("planned")
    return Standing(
        *who,
        is_rules=who[0] in rules,
        responses=scored,
        judged=int(judged) if is_known(judged) else scored,
        planned=int(asked) if is_known(asked) else planned,
        headline=shown,
        cells=tuple(_cell(metric, record[metric], who, scores) for metric in LEADERBOARD),
        mean_reward=float(reward) if is_known(reward) else None,
    )


def _cell(metric: str, value: object, who: tuple[str, str], scores: Scores) -> Score:
    """Take the value from the leaderboard, and interval and reason from the scores that it was made from."""
    if metric == "control_refusal_rate":
        score = scores.get(who, "kind", "control", "false_refusal_rate")
    else:
        score = scores.get(who, "overall", "overall", metric)
        quality = scores.get(who, "overall", "overall", "answer_quality")
        if metric == "answer_accuracy" and quality.value is not None:
            score = quality
    return _score(value, score.low, score.high, score.n, score.reason)


def _pairs(frame: pd.DataFrame) -> list[tuple[str, str]]:
    pairs = frame[["respondent", "judge"]].drop_duplicates()
    return [(str(respondent), str(judge)) for respondent, judge in pairs.itertuples(index=False, name=None)]
