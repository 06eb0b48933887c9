"""The sample size for a wanted accuracy: of a round with new questions, and of a static set for comparison."""

from dataclasses import dataclass

from demur.configuration.round_config import RoundConfig
from demur.flows.rounds.request import find_round_config, read_round_config
from demur.scoring.precision import SamplePlan, design_effect_of, half_width, plan
from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.statements import records

COLUMNS = ("what", "value", "remark")
ONE_OF_EACH = 18.0
"""Assumed number of items of one source question: one of each stratum."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A requirement: with probability 1 - delta, the error of every score of every round is at most epsilon.

    A static set has the same items in every round. `drift` is the assumed error that contamination of models with these
    items adds to the scores.
    """

    epsilon: float
    delta: float
    rounds: int
    drift: float


def plan_sample(home: Home, asked: Tolerance, config: str | None) -> list[tuple[str, object, str]]:
    """Return the rows (name, value, remark) of a sample size plan.

    `config` is None or names a round configuration. If `config` is named, the plan uses its number of items for each
    source question, and says whether its number of source questions is large enough.

    Raises:
        ConfigError: the configuration cannot be used.
        ScoringError: a number is out of its range.
    """
    found = read_round_config(find_round_config(config)) if config is not None else None
    per_source, why = _items_per_source(found)
    size = plan(asked.epsilon, asked.delta, asked.rounds, items_per_source=per_source, drift=asked.drift)
    static = size.static
    rows: list[tuple[str, object, str]] = [
        (
            "source questions per round",
            size.sources,
            f"ln(2 x {asked.rounds} / {asked.delta:g}) / (2 x {asked.epsilon:g}^2)",
        ),
        ("items per source question", round(per_source, 2), why),
        ("items per round", size.items, "more of them narrow nothing: source questions count"),
    ]
    rows += _design(home, size, found)
    if found is not None:
        own = half_width(found.bases, asked.delta, asked.rounds)
        enough = "enough" if found.bases >= size.sources else f"{size.sources - found.bases} short"
        rows.append((f"source questions of {found.name}", found.bases, f"{enough}; they keep a tolerance of {own:.3f}"))
    if static.vacuous:
        rows += [
            ("static set", "vacuous", str(static.reason)),
            ("static set is off with probability", f">= {static.failure_at_least:.4g}", f"{size.sources} items"),
        ]
    else:
        rows += [
            ("static set", "holds", f"while drift stays at {asked.drift:g} or less, below the tolerance"),
            ("static set is off with probability", f"<= {static.failure_at_most:.4g}", f"{size.sources} items"),
            ("items of a static set for this delta", static.items_needed or 0, "independent ones"),
        ]
    return rows


def _items_per_source(config: RoundConfig | None) -> tuple[float, str]:
    if config is None:
        return ONE_OF_EACH, "one of each stratum; a round configuration has its own"
    strata = len(config.generation.classes) * len(config.generation.intensities)
    most = strata * len(config.generation.turns(config.roles.generators, 0))
    needed = config.items_per_stratum * strata / config.bases
    return min(needed, most), f"{config.items_per_stratum} in each of {strata} strata, from {config.bases} questions"


def _design(home: Home, size: SamplePlan, config: RoundConfig | None) -> list[tuple[str, object, str]]:
    """Return rows on the design effect: the loss of precision because items of one source question are correlated.

    The correlation is the largest intra-class correlation of a respondent in the newest scored round of this home.
    """
    try:
        with reading(home) as con:
            row = next(records(con, "newest_icc", [None if config is None else config.name]), None)
    except WarehouseMissingError:
        row = None
    if row is None:
        return [("design effect", "n/a", "a scored round has it (view round_precision)")]
    effect = design_effect_of(row["icc"], size.items_per_source)
    remark = (
        f"{size.items_per_source:.4g} items a question that correlate by {row['icc']:.3f}: "
        f"{row['respondent']}, round {row['round_id']}"
    )
    return [
        ("design effect", round(effect, 2), remark),
        ("items' worth", round(size.items / effect), "independent items of equal information"),
    ]
