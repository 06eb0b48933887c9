"""Item response theory of judged responses, as rows of the tables in TABLES.

Information of items and groups is told at the ability of the round's best respondent: what they still say of it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from demur.scoring.errors import ScoringError
from demur.scoring.hinge import one_thread
from demur.scoring.irt.fit import ItemResponseFit, fit
from demur.scoring.irt.patterns import Patterns
from demur.scoring.irt.posterior import (
    ABILITIES,
    EstimatedParameters,
    group_parameters,
    information_curves,
    item_parameters,
)
from demur.scoring.rows.estimates import Row

if TYPE_CHECKING:
    import pandas as pd

STRATUM: Final = "class, intensity"
KNOBS: Final = ("second_defect",)
"""Columns that say which arm of a knob an item was made with, where rounds draw arms by what they tell."""
TABLES: Final = ("item_fits", "abilities", "item_parameters", "information_curves")


def item_response_rows(frame: "pd.DataFrame", seed: int) -> dict[str, list[Row]]:
    """Return the rows of every table that item response theory fills, of one judge, without round, unit and judge."""
    patterns = Patterns.of(frame)
    counted: Row = {
        "respondents": len(patterns.respondents), "items": len(patterns.items), "sources": patterns.clusters
    }  # fmt: skip
    with one_thread():
        try:
            found = fit(patterns)
        except ScoringError as exc:
            return {"item_fits": [{**counted, "reason": str(exc)}]}
        if not found.is_certified:
            return {"item_fits": [{**counted, **_certificate(found)}]}
        groups = _groups(frame, patterns)
        best = float(found.at.abilities.max())
        parameters = [("item_id", np.array(patterns.items), item_parameters(found, best, seed=seed))]
        for factor, (number, names) in groups.items():
            parameters.append((factor, names, group_parameters(found, number, len(names), best, seed=seed)))
        curves = list(_curves(found, *groups[STRATUM]))
    sizes = {factor: np.bincount(number[number >= 0]) for factor, (number, _) in groups.items()}
    return {
        "item_fits": [{**counted, **_certificate(found)}],
        "abilities": list(_abilities(found)),
        "item_parameters": [
            row
            for factor, names, each in parameters
            for row in _parameters(factor, names, sizes.get(factor, np.ones(len(names), dtype=np.int64)), each)
        ],
        "information_curves": curves,
    }


def _certificate(found: ItemResponseFit) -> Row:
    return {
        "difficulty_spread": found.at.difficulty_spread,
        "discrimination_spread": found.at.discrimination_spread,
        "log_likelihood": found.log_likelihood,
        "gradient": found.gradient,
        "curvature": found.curvature,
        "is_certified": found.is_certified,
        "reason": None if found.is_certified else "no maximum was found: too many respondents answer alike",
    }


def _abilities(found: ItemResponseFit) -> Iterator[Row]:
    se, low, high = found.ability_intervals()
    responses = found.patterns.copies @ found.patterns.trials
    for at, respondent in enumerate(found.patterns.respondents):
        yield {
            "respondent": respondent,
            "responses": int(responses[at]),
            "ability": float(found.at.abilities[at]),
            "se": float(se[at]),
            "low": float(low[at]),
            "high": float(high[at]),
        }


def _groups(frame: "pd.DataFrame", patterns: Patterns) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return, by factor, the number of each item's group (-1 for none) and the names of the groups."""
    import pandas as pd

    perturbed = frame[frame["class"].notna()]
    items = perturbed.assign(item_id=perturbed["item_id"].astype(str)).drop_duplicates("item_id").set_index("item_id")
    items = items.reindex(patterns.items)
    stratum = items["class"].str.cat(items["intensity"], sep=", ")
    factors = {"lever_id": items["lever_id"], STRATUM: stratum, "base_id": items["source_id"].astype(str)}
    factors |= {knob: items[knob] for knob in KNOBS if knob in items.columns and items[knob].notna().any()}
    found = {}
    for factor, values in factors.items():
        number, names = pd.factorize(values, sort=True)
        if len(names) or factor == STRATUM:
            found[factor] = np.asarray(number, dtype=np.int64), np.asarray(names, dtype=object)
    return found


def _parameters(factor: str, names: np.ndarray, sizes: np.ndarray, found: EstimatedParameters) -> Iterator[Row]:
    located = {
        "difficulty": found.difficulty, "discrimination": found.discrimination, "information": found.information
    }  # fmt: skip
    for at, name in enumerate(names):
        row: Row = {"factor": factor, "factor_value": str(name), "items": int(sizes[at])}
        for quantity, of in located.items():
            row |= {quantity: float(of.value[at]), f"{quantity}_low": float(of.low[at])}
            row[f"{quantity}_high"] = float(of.high[at])
        row["suspicion"] = None if found.suspicion is None else float(found.suspicion[at])
        yield row


def _curves(found: ItemResponseFit, number: np.ndarray, names: np.ndarray) -> Iterator[Row]:
    members = [np.arange(len(number)), *(np.flatnonzero(number == at) for at in range(len(names)))]
    slices = [("overall", "overall"), *((STRATUM, str(name)) for name in names)]
    for (slice_, value), curve in zip(slices, information_curves(found, members), strict=True):
        for ability, information in zip(ABILITIES, curve, strict=True):
            yield {
                "slice": slice_,
                "slice_value": value,
                "ability": float(ability),
                "information": float(information),
            }
