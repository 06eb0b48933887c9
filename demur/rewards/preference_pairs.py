"""Preference pairs from a round's comparisons, for preference tuning: prompt, chosen, rejected and margin.

Completions are unchanged. A completion may contain a marker in place of material that must not be written. By default,
pairs with the marker are left out, because a model trained on them learns to write the marker.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from demur.errors import FlowError
from demur.levers.explain import LeverError
from demur.levers.policies import load_policy
from demur.levers.policy_models import Policy
from demur.programs.signatures.completions import WITHHELD
from demur.rewards.base_rewards import prompt_messages
from demur.rewards.fits import by_behaviour, completions_of, fitted_weights
from demur.scoring import ScoringError
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData, pairs_of
from demur.warehouse.arrow_rows import table_bytes
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.round_rows import chosen_round
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

Row = dict[str, Any]
TEXTS: Final = ("prompt", "chosen", "rejected")


@dataclass(frozen=True, slots=True)
class PairRequest:
    """A request for preference pairs.

    If `round_id` is None, the newest round is used. `policy` is a name or a file. If `policy` is None, all policies of
    the round are used. `margin` replaces the margin of the fit. If `conversational` is true, the pairs have messages
    instead of texts. If `withheld` is true, pairs with the marker are included.
    """

    round_id: str | None
    policy: str | None = None
    margin: float | None = None
    conversational: bool = False
    withheld: bool = False


def preference_pairs(home: Home, request: PairRequest) -> list[Row]:
    """Return all pairs of a better and a worse completion of the same prompt, in a fixed order.

    Raises:
        FlowError: there is no such round or policy, the round has no comparisons, or no margin is known.
    """
    with reading(home) as con:
        round_id = chosen_round(con, request.round_id)
        rows = list(records(con, "pairs_completions", [round_id]))
        policies = _policies(round_id, rows, request.policy)
        rewards = _rewards(con, round_id, policies)
        margins = {(r["policy"], r["behaviour"]): r["margin"] for r in records(con, "release_fits", [round_id])}
    found: list[Row] = []
    for (name, behaviour), group in by_behaviour(rows).items():
        if name in policies:
            margin = request.margin if request.margin is not None else margins.get((name, behaviour))
            if margin is None:
                raise FlowError(
                    f"round {round_id}: behaviour '{behaviour}' of policy '{name}' has no fit yet: give a margin with "
                    "--margin"
                )
            found += _pairs(policies[name], behaviour, group, margin, rewards, request.conversational)
    return [row for row in found if request.withheld or not row["withheld"]]


def parquet_pairs(rows: Sequence[Row], conversational: bool) -> bytes:
    """Return pairs as the bytes of a Parquet file."""
    return table_bytes(pa.Table.from_pylist(list(rows), schema=_schema(conversational)))


def _pairs(
    policy: Policy,
    behaviour: str,
    rows: list[Row],
    margin: float,
    rewards: Mapping[str, float],
    conversational: bool,
) -> Iterator[Row]:
    labels = [row["label"] for row in rows]
    prompts = [row["prompt_id"] for row in rows]
    completions = ComparisonData.of((), np.empty((len(rows), 0)), prompts, labels)
    try:
        pairs = pairs_of(completions, policy.behaviour(behaviour).order, margin)
    except (LeverError, ScoringError) as exc:
        raise FlowError(
            f"policy '{policy.name}' does not fit the round's completions: {exc}. With --policy, name the policy file "
            "that the round used"
        ) from exc
    for better, worse in sorted(zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True)):
        chosen = rows[better]
        rejected = rows[worse]
        ids = chosen["completion_id"], rejected["completion_id"]
        known = all(one in rewards for one in ids)
        yield {
            **_texts(chosen, rejected, conversational),
            "margin": margin,
            "reward_difference": rewards[ids[0]] - rewards[ids[1]] if known else None,
            "policy": policy.name,
            "behaviour": behaviour,
            "prompt_id": chosen["prompt_id"],
            "chosen_id": ids[0],
            "rejected_id": ids[1],
            "chosen_label": chosen["label"],
            "rejected_label": rejected["label"],
            "withheld": any(WITHHELD in row["completion"] for row in (chosen, rejected)),
        }


def _texts(chosen: Row, rejected: Row, conversational: bool) -> Row:
    """Return prompt and completions as texts or as messages. The prompt of an item includes the passages."""
    messages = prompt_messages(chosen)
    if not conversational:
        prompt = "\n\n".join(message["content"] for message in messages)
        return {"prompt": prompt, "chosen": chosen["completion"], "rejected": rejected["completion"]}
    replies = [[{"role": "assistant", "content": row["completion"]}] for row in (chosen, rejected)]
    return {"prompt": messages, "chosen": replies[0], "rejected": replies[1]}


def _schema(conversational: bool) -> pa.Schema:
    message = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    text = message if conversational else pa.string()
    names = ("policy", "behaviour", "prompt_id", "chosen_id", "rejected_id", "chosen_label", "rejected_label")
    numbers = [("margin", pa.float64()), ("reward_difference", pa.float64())]
    last = [*((name, pa.string()) for name in names), ("withheld", pa.bool_())]
    return pa.schema([*((name, text) for name in TEXTS), *numbers, *last])


def _policies(round_id: str, rows: Sequence[Row], named: str | None) -> dict[str, Policy]:
    """Return the requested policies.

    The keys are names. If `named` is None, all policies with comparisons in the round are requested.
    """
    written = list(dict.fromkeys(str(row["policy"]) for row in rows))
    if not written:
        raise FlowError(f"round {round_id}: has no comparisons yet; run it up to the stage grade first")
    if named is not None:
        policy = load_policy(named)
        if policy.name not in written:
            raise FlowError(
                f"round {round_id}: has no comparisons for policy '{policy.name}'; it has comparisons for "
                f"{', '.join(written)}"
            )
        return {policy.name: policy}
    found = {}
    for name in written:
        try:
            found[name] = load_policy(name)
        except LeverError as exc:
            raise FlowError(
                f"round {round_id}: policy '{name}' is not one of ours: name its file with --policy"
            ) from exc
    return found


def _rewards(con: Connection, round_id: str, policies: Mapping[str, Policy]) -> dict[str, float]:
    """Return the rewards of graded completions, computed with the fitted weights. The keys are completion ids."""
    weights = fitted_weights(con, round_id)
    found: dict[str, float] = {}
    for (name, behaviour), rows in by_behaviour(records(con, "graded_completions", [round_id])).items():
        if name in policies and (name, behaviour) in weights:
            completions = completions_of(policies[name], behaviour, rows)
            values = np.array([weights[name, behaviour][feature] for feature in completions.feature_names])
            ids = (row["completion_id"] for row in rows)
            found |= dict(zip(ids, (completions.features @ values).tolist(), strict=True))
    return found
