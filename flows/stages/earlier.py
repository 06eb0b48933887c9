"""What a round is held against: earlier rounds of its configuration, as far as the same models took part."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from demur.flows.context import RoundContext
from demur.flows.respondings import respondings_of
from demur.scoring.drift import drift
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

if TYPE_CHECKING:
    import pandas as pd

    from demur.flows.estimated import Row
    from demur.flows.scored import Bootstrap

COMPARED: Final = (
    "item_id", "source_id", "class", "intensity", "expected", "predicted", "correct", "confidence", "eligible",
    "supported_all", "supported_relevant", "model", "kind", "judge", "replicate", "layout",
)  # fmt: skip


def earlier_responses(context: RoundContext, con: Connection) -> dict[str, list[list[Any]]]:
    """Return judged responses, with the columns COMPARED, of the round before this one and of the first one, by round.

    Only those of respondents and judges that are, by their fingerprints, the same models in both rounds; a round
    without any is left out.
    """
    found: dict[str, list[list[Any]]] = {}
    answering = {label: responding.model for label, responding in respondings_of(context.config).items()}
    rounds = [str(row["round_id"]) for row in records(con, "earlier_rounds", [context.round_id])]
    for earlier in dict.fromkeys((*rounds[:1], *rounds[-1:])):
        respondents = _same(context, con, earlier, "respondent", answering)
        judges = _same(context, con, earlier, "judge", {name: name for name in context.config.roles.judges})
        rows = [
            [response[column] for column in COMPARED]
            for response in records(con, "plan_score", [earlier])
            if response["model"] in respondents and response["judge"] in judges
        ]
        if rows:
            found[earlier] = rows
    return found


def _same(context: RoundContext, con: Connection, earlier: str, role: str, models: Mapping[str, str]) -> set[str]:
    """Return the labels under which an earlier round asked, in a role, the model that stands behind them now."""
    asked: dict[str, set[str | None]] = defaultdict(set)
    for row in records(con, "answering_models", [earlier]):
        if row["role"] == role:
            asked[str(row["label"])].add(row["fingerprint"])
    specs = context.specs(tuple(models.values()))
    return {label for label, spec in zip(models, specs, strict=True) if asked[label] == {spec.fingerprint}}


def drift_rows(after: "pd.DataFrame", earlier: Mapping[str, Sequence[Sequence[Any]]], how: "Bootstrap") -> "list[Row]":
    """Return how scores moved since each earlier round, as rows of `drifts` without round and unit."""
    import pandas as pd

    from demur.flows.associated import HEADLINES
    from demur.flows.estimated import known, limits

    def found() -> "Iterator[Row]":
        for round_id, rows in earlier.items():
            before = pd.DataFrame(list(rows), columns=list(COMPARED))
            for judge in sorted(set(before["judge"]) & set(after["judge"])):
                sides = [side[side["judge"] == judge].reset_index(drop=True) for side in (before, after)]
                for moved in drift(*sides, replicates=how.replicates, seed=how.seed, metrics=HEADLINES):
                    yield {
                        "earlier_round_id": round_id,
                        "judge": judge,
                        "respondent": moved.model,
                        "metric": moved.metric,
                        **limits(moved.difference, "difference"),
                        "p_value": known(moved.p_value),
                        "sources": moved.sources_after,
                        "sources_earlier": moved.sources_before,
                        "sources_shared": moved.shared,
                    }

    return list(found())
