"""Responses of earlier rounds of the configuration, of models that took part in both."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from demur.configuration.labels import labelled_respondents
from demur.engine.context import RoundContext
from demur.engine.judges import judge_specs
from demur.lanes.spec import ModelSpec
from demur.scoring.rows.drift import COMPARED
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

_FOLDER: Final = Path(__file__).parent


def earlier_responses(context: RoundContext, con: Connection) -> dict[str, list[list[Any]]]:
    """Return judged responses, with the columns COMPARED, of the round before this one and of the first one, by round.

    Only those of respondents and judges that are, by their fingerprints, the same models in both rounds; a round
    without any is left out.
    """
    found: dict[str, list[list[Any]]] = {}
    named = {label: respondent.model for label, respondent in labelled_respondents(context.config).items()}
    answering = dict(zip(named, context.specs(tuple(named.values())), strict=True))
    rounds = [str(row["round_id"]) for row in records(con, _FOLDER / "earlier_rounds.sql", [context.round_id])]
    for earlier in dict.fromkeys((*rounds[:1], *rounds[-1:])):
        respondents = _same(con, earlier, "respondent", answering)
        judges = _same(con, earlier, "judge", judge_specs(context))
        rows = [
            [response[column] for column in COMPARED]
            for response in records(con, _FOLDER / "plan.sql", [earlier])
            if response["model"] in respondents and response["judge"] in judges
        ]
        if rows:
            found[earlier] = rows
    return found


def _same(con: Connection, earlier: str, role: str, models: Mapping[str, ModelSpec]) -> set[str]:
    """Return the labels under which an earlier round asked, in a role, the model that stands behind them now."""
    asked: dict[str, set[str | None]] = defaultdict(set)
    for row in records(con, _FOLDER / "answering_models.sql", [earlier]):
        if row["role"] == role:
            asked[str(row["label"])].add(row["fingerprint"])
    return {label for label, spec in models.items() if asked[label] == {spec.fingerprint}}
