"""Respondents beside each other: pairs, use of codes, judges' noise, what is hard for all, what scores depend on."""

from dataclasses import dataclass, replace
from typing import Final

import pandas as pd
from markupsafe import Markup

from demur.reports.frames import records
from demur.reports.names import METRICS
from demur.reports.plots import scaling
from demur.reports.standings import Score
from demur.reports.text import is_known, plain

HARDEST: Final = 12
"""How many levers a page lists."""

SCALES: Final = {"parameters_billion": "Parameters, billions", "thinking_tokens": "Thinking budget, tokens"}
GROUPS: Final = {"family": "Family", "alignment": "Alignment"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two respondents on the items that both answered: first less second."""

    first: str
    second: str
    judge: str
    items: int
    difference: Score
    p_value: float | None
    minimum_detectable: float | None
    is_distinguishable: bool


@dataclass(frozen=True, slots=True)
class Codes:
    """How a respondent spreads its refusals over the codes."""

    respondent: str
    judge: str
    refusals: int
    entropy_bits: float | None
    expected_entropy_bits: float | None
    top_code: str
    top_share: Score
    never_given: tuple[str, ...]
    constant: float | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Hard:
    """Items alike in one thing, and the share of responses that are not right."""

    value: str
    judge: str
    items: int
    difficulty: Score


@dataclass(frozen=True, slots=True)
class Noise:
    """How far two judgings of the same responses lie apart."""

    respondent: str
    judges: tuple[str, str]
    floor: float | None
    same_class: float | None


@dataclass(frozen=True, slots=True)
class Effect:
    """A statistic over respondents with its interval, in its own unit."""

    what: str
    value: float | None
    low: float | None
    high: float | None
    models: int
    reason: str


@dataclass(frozen=True, slots=True)
class Compared:
    """All that the section on comparisons shows."""

    pairs: tuple[Pair, ...]
    codes: tuple[Codes, ...]
    noise: tuple[Noise, ...]
    levers: tuple[Hard, ...]
    domains: tuple[Hard, ...]
    effects: tuple[Effect, ...]
    figures: tuple[tuple[str, Markup], ...]


def compared(
    pairs: pd.DataFrame,
    codes: pd.DataFrame,
    noise: pd.DataFrame,
    difficulty: pd.DataFrame,
    factors: pd.DataFrame,
    associations: pd.DataFrame,
) -> Compared:
    """Return how respondents compare, from the frames of that name."""
    hard = [_hard(row) for row in records(difficulty)]
    of = [str(row["factor"]) for row in records(difficulty)]
    return Compared(
        pairs=tuple(_pair(row) for row in records(pairs)),
        codes=tuple(_codes(row) for row in records(codes)),
        noise=tuple(_noise(row) for row in records(noise)),
        levers=tuple(one for one, factor in zip(hard, of, strict=True) if factor == "lever")[:HARDEST],
        domains=tuple(one for one, factor in zip(hard, of, strict=True) if factor == "domain"),
        effects=tuple(_effect(row) for row in records(associations)),
        figures=tuple(_figures(factors)),
    )


def _number(value: object) -> float | None:
    return float(value) if is_known(value) else None


def _whole(value: object) -> int:
    return int(value) if is_known(value) else 0


def _score(row: dict[str, object], value: str, low: str = "low", high: str = "high") -> Score:
    return Score(_number(row[value]), _number(row[low]), _number(row[high]), reason=plain(row.get("reason")))


def _pair(row: dict[str, object]) -> Pair:
    return Pair(
        first=str(row["first"]),
        second=str(row["second"]),
        judge=str(row["judge"]),
        items=_whole(row["items"]),
        difference=_score(row, "difference"),
        p_value=_number(row["p_value_holm"]),
        minimum_detectable=_number(row["minimum_detectable"]),
        is_distinguishable=plain(row["is_distinguishable"]) == "True",
    )


def _codes(row: dict[str, object]) -> Codes:
    return Codes(
        respondent=str(row["respondent"]),
        judge=str(row["judge"]),
        refusals=_whole(row["refusals"]),
        entropy_bits=_number(row["entropy_bits"]),
        expected_entropy_bits=_number(row["expected_entropy_bits"]),
        top_code=plain(row["top_code"]),
        top_share=_score(row, "top_share", "top_share_low", "top_share_high"),
        never_given=tuple(str(code) for code in pd.Series(row["never_given"], dtype=object).dropna()),
        constant=_number(row["constant_calibrated_refusal_score"]),
        score=_number(row["calibrated_refusal_score"]),
    )


def _hard(row: dict[str, object]) -> Hard:
    found = replace(_score(row, "difficulty"), n=_whole(row["responses"]))
    return Hard(str(row["factor_value"]), str(row["judge"]), _whole(row["items"]), found)


def _noise(row: dict[str, object]) -> Noise:
    judges = str(row["first_judge"]), str(row["second_judge"])
    return Noise(str(row["respondent"]), judges, _number(row["noise_floor"]), _number(row["same_class"]))


def _effect(row: dict[str, object]) -> Effect:
    metric, factor = _called(row["metric"]), plain(row["factor"])
    match plain(row["statistic"]):
        case "correlation":
            what = f"{metric} with {_called(factor).lower()}: correlation"
        case "slope":
            unit = "per tenfold number of parameters" if factor == "parameters_billion" else "per 1,000 thinking tokens"
            what = f"{metric}: change {unit}"
        case _:
            what = f"{metric}: {plain(row['first'])} less {plain(row['second'])} ({GROUPS.get(factor, factor).lower()})"
    value, low, high = (_number(row[name]) for name in ("value", "low", "high"))
    return Effect(what, value, low, high, _whole(row["models"]), plain(row["reason"]))


def _called(metric: object) -> str:
    return METRICS.get(plain(metric), plain(metric))


def _figures(factors: pd.DataFrame) -> list[tuple[str, Markup]]:
    """One figure per factor that is a number and known of two respondents: the calibrated refusal score along it."""
    rows = [row for row in records(factors) if row["metric"] == "calibrated_refusal_score"]
    found = []
    for factor, label in SCALES.items():
        points = [
            (float(at), _score(row, "value"), str(row["respondent"])) for row in rows if is_known(at := row[factor])
        ]
        if len({at for at, _, _ in points}) > 1:
            logarithmic = factor == "parameters_billion"
            found.append((label, scaling(f"scale-{factor}", label, points, logarithmic=logarithmic)))
    return found
