"""What stands behind the scores: what people found in the items, how far the round reaches, how scores moved."""

from dataclasses import dataclass

import pandas as pd

from demur.reports.frames import records
from demur.reports.names import CLASSES, CRITERIA, in_order
from demur.reports.standings import Score
from demur.reports.text import is_known, plain


@dataclass(frozen=True, slots=True)
class PassRate:
    """Items that pass among those read; `published` is the rate published for the class."""

    name: str
    readers: int
    items: int
    passes: int
    rate: Score
    published: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far readers agree on a criterion: all of them, or a pair."""

    criterion: str
    what: str
    items: int
    observed: float | None
    value: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What people found; all empty where nobody read."""

    classes: tuple[PassRate, ...]
    criteria: tuple[PassRate, ...]
    agreement: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one respondent's share of right responses can be off; half-widths in [0, 1], None where unknown."""

    respondent: str
    judge: str
    items: int
    sources: int
    share_right: Score
    rounds: int
    half_width: float | None
    half_width_all_rounds: float | None
    bootstrap_half_width: float | None
    crs_half_width: float | None
    design_effect: float | None
    effective_items: float | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A calibrated refusal score in an earlier round and in this one."""

    respondent: str
    judge: str
    earlier: str
    before: float | None
    now: float | None
    difference: Score
    p_value: float | None


@dataclass(frozen=True, slots=True)
class Trust:
    """All that the sections on audits and on rounds show."""

    audit: Audit
    reach: tuple[Reach, ...]
    moved: tuple[Moved, ...]


def trust(audits: pd.DataFrame, audit_agreement: pd.DataFrame, reach: pd.DataFrame, drift: pd.DataFrame) -> Trust:
    """Return what stands behind the scores, from the frames of that name."""
    return Trust(
        _audit(audits, audit_agreement),
        tuple(_reach(row) for row in records(reach)),
        tuple(_moved(row) for row in records(drift)),
    )


def _audit(audits: pd.DataFrame, agreement: pd.DataFrame) -> Audit:
    rows = records(audits)
    overall = {str(row["class"]): row for row in rows if row["criterion"] == "overall"}
    criteria = {str(row["criterion"]): row for row in rows if row["class"] == "all" and row["criterion"] != "overall"}
    names = {**CLASSES, "all": "All classes"}
    return Audit(
        tuple(_pass_rate(names.get(name, name), overall[name]) for name in in_order(overall, names)),
        tuple(_pass_rate(CRITERIA.get(name, name), criteria[name]) for name in in_order(criteria, CRITERIA)),
        tuple(_agreement(row) for row in records(agreement)),
    )


def _pass_rate(name: str, row: dict[str, object]) -> PassRate:
    return PassRate(
        name=name,
        readers=_whole(row["readers"]),
        items=_whole(row["items"]),
        passes=_whole(row["passes"]),
        rate=Score(_number(row["pass_rate"]), _number(row["low"]), _number(row["high"]), _whole(row["items"])),
        published=_number(row["published_pass_rate"]),
    )


def _agreement(row: dict[str, object]) -> Agreement:
    criterion = plain(row["criterion"])
    alpha = row["coefficient"] == "alpha"
    what = (
        "Krippendorff\u2019s alpha, all readers" if alpha else f"Cohen\u2019s kappa, {row['first']} and {row['second']}"
    )
    return Agreement(
        CRITERIA.get(criterion, "All five"),
        what,
        _whole(row["items"]),
        _number(row["observed"]),
        _number(row["value"]),
        plain(row["reason"]),
    )


def _reach(row: dict[str, object]) -> Reach:
    return Reach(
        respondent=str(row["respondent"]),
        judge=str(row["judge"]),
        items=_whole(row["items"]),
        sources=_whole(row["sources"]),
        share_right=Score(_number(row["share_right"]), reason=plain(row["reason"])),
        rounds=_whole(row["rounds"]),
        half_width=_number(row["half_width"]),
        half_width_all_rounds=_number(row["half_width_all_rounds"]),
        bootstrap_half_width=_number(row["bootstrap_half_width"]),
        crs_half_width=_number(row["crs_bootstrap_half_width"]),
        design_effect=_number(row["design_effect"]),
        effective_items=_number(row["effective_items"]),
    )


def _moved(row: dict[str, object]) -> Moved:
    difference = Score(
        _number(row["difference"]), _number(row["low"]), _number(row["high"]), reason=plain(row["reason"])
    )
    return Moved(
        str(row["respondent"]),
        str(row["judge"]),
        str(row["earlier_round_id"]),
        _number(row["earlier_value"]),
        _number(row["value"]),
        difference,
        _number(row["p_value"]),
    )


def _number(value: object) -> float | None:
    return float(value) if is_known(value) else None


def _whole(value: object) -> int:
    return int(value) if is_known(value) else 0
