"""Base rewards of a round's completions and responses, from a rater of the round or from a file.

A line of the file has `id` and `base_reward`. `id` is the id of a completion or response. `subjects` returns the texts
to score.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictStr

from demur.engine.context import RoundContext
from demur.errors import FlowError
from demur.levers.instances import passages_of
from demur.programs.respondent import asked_messages
from demur.rewards.graded_files import Finite, read_lines
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.round_rows import chosen_round
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection


class BaseRewardLine(BaseModel):
    """The base reward of a completion or response with this id."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    id: StrictStr
    base_reward: Finite


def base_rewards(context: RoundContext, con: Connection) -> Mapping[str, float] | None:
    """Return the base rewards by id, from the round's rater or from the configured file.

    Return None if the round has neither a rater nor a file.

    Raises:
        FlowError: the file cannot be read, or has an id twice.
    """
    if context.config.roles.rater is not None:
        rows = records(con, "base_rewards", [context.round_id])
        return {str(row["subject_id"]): float(row["base_reward"]) for row in rows}
    named = context.config.fit.base_rewards
    if named is None:
        return None
    path = context.file(named)
    found: dict[str, float] = {}
    for number, line in read_lines(BaseRewardLine, path, "Give an id and its base_reward per line")[1]:
        if line.id in found:
            raise FlowError(
                f"{path}:{number}: id '{line.id[:40]}' is on an earlier line too. Give each id one base reward"
            )
        found[line.id] = line.base_reward
    return found


def with_base(
    context: RoundContext, base: Mapping[str, float] | None, what: str, key: str, rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return rows with the column `base_reward`. If `base` is None, return the rows unchanged.

    If the round has a rater, rows without a rating are left out. Their failures are in the table `failures`.

    Args:
        context: of the round.
        base: base rewards by id.
        what: the kind of rows, for messages.
        key: the rows' column with the id.
        rows: the rows.

    Raises:
        FlowError: the file lacks base rewards, or the rater has rated none of the rows.
    """
    if base is None:
        return list(rows)
    if context.config.roles.rater is not None:
        rated = [row for row in rows if row[key] in base]
        if rows and not rated:
            raise FlowError(
                f"roles.rater: {context.config.roles.rater}: has rated none of {len(rows)} {what}. Run the whole "
                f"round {context.round_id}, or run its part grade first"
            )
        rows = rated
    elif lacking := [str(row[key]) for row in rows if row[key] not in base]:
        raise FlowError(
            f"fit.base_rewards: {context.config.fit.base_rewards}: lacks {len(lacking)} of {len(rows)} {what}, such as "
            f"'{lacking[0]}'. Score what `demur rbr subjects {context.round_id}` writes, and run the round again: all "
            "answers so far are kept"
        )
    return [{**row, "base_reward": base[row[key]]} for row in rows]


def subjects(home: Home, round_id: str | None) -> list[dict[str, Any]]:
    """Return all completions and graded responses of a round with their prompts. A reward model can score them.

    Raises:
        WarehouseError: there is no such round.
    """
    with reading(home) as con:
        chosen = chosen_round(con, round_id)
        return [
            {
                "id": subject_id,
                "kind": kind,
                "behaviour": row["behaviour"],
                "prompt": prompt_messages(row),
                "completion": row["completion"],
            }
            for kind, subject_id, row in rated_subjects(con, chosen)
        ]


def rated_subjects(con: Connection, round_id: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield kind, id and row of each completion and each graded response of a round."""
    for kind, statement in (("completion", "pairs_completions"), ("response", "graded_responses")):
        for row in records(con, statement, [round_id]):
            yield kind, str(row[f"{kind}_id"]), row


def prompt_messages(row: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the prompt of a completion or response as messages. The prompt of an item includes the passages."""
    if row["question"] is None:
        return [{"role": "user", "content": row["prompt"]}]
    return asked_messages(row["question"], passages_of(row["passages"]))
