"""Repetition of the stages `ask` and `prove` until the round has enough questions.

Each repetition, or wave, uses passages about which the round has not asked yet, to replace rejected questions.
"""

import math
from collections.abc import Mapping
from typing import Any, Final

from demur.configuration.corpus_section import Fresh, WhenShort
from demur.configuration.sections import PASSAGES_FOR_A_BASE
from demur.engine.context import RoundContext, loader_reading
from demur.engine.logs import observer
from demur.engine.stage import run_stage
from demur.errors import StageStopped
from demur.flows.stages.bases.draw import resting_bases, rows_of_documents
from demur.flows.stages.questions.ask import asking_wave
from demur.flows.stages.questions.match import MATCH
from demur.flows.stages.questions.prove import PROVE
from demur.flows.stages.questions.sources import FOLDER, askable_passages
from demur.reports.artifacts import show_supply
from demur.warehouse.statements import records

ASSUMED_YIELD: Final = 0.6
"""Assumed number of accepted questions for each passage, which decides the size of the first wave."""
LOWEST_YIELD: Final = 0.2
"""Lower bound on the assumed number of accepted questions for each passage. It limits the size of later waves."""


def supply(context: RoundContext, wanted: int) -> int:
    """Ask questions about passages until `wanted` base instances are available or all passages have been used.

    Return the number of available base instances. It includes unused questions of earlier rounds. If `asking.passages`
    is set, there is only one wave, with this number of passages.

    Raises:
        StageStopped: questions wait for people (`asking.check`), and those that people kept are fewer than wanted.
    """
    asking = context.config.asking
    asks = context.config.roles.asker is not None
    if context.documents.questions is not None:
        run_stage(context, MATCH)
    with loader_reading(context) as con:
        readable = len(askable_passages(context, con)) if asks else 0
    there = _available(context, own=False)
    most = min(readable, asking.most_passages(context.config.bases))
    number = most if asking.passages else min(most, math.ceil(max(wanted - there, 0) / ASSUMED_YIELD))
    while True:
        if asks:
            run_stage(context, asking_wave(number))
        run_stage(context, PROVE)
        available = _available(context)
        if available >= wanted or number >= most:
            return _read_by_people(context, available, wanted)
        rate = max((available - there) / number, LOWEST_YIELD) if number else ASSUMED_YIELD
        number = min(most, number + math.ceil((wanted - available) / rate))


def _read_by_people(context: RoundContext, available: int, wanted: int) -> int:
    """Return how many of the available base instances may be drawn: with `asking.check`, those that people have read.

    Raises:
        StageStopped: others wait for people, and there are fewer than wanted without them.
    """
    if context.config.asking.check is None:
        return available
    kept = _available(context, unread=False)
    if kept >= wanted or kept == available:
        return kept
    raise StageStopped(
        f"prove: {available - kept} accepted questions wait for people (asking.check: people), who have kept {kept} of "
        f"the {wanted} that are wanted; nothing is perturbed before. `demur audit sample {context.round_id} --object "
        "questions` writes the page on which they are read. `demur audit import FILE` stores the marks; then give the "
        "same command again"
    )


def check_supply(context: RoundContext, available: int) -> None:
    """Report how many base instances the documents gave, and check that the round can go on with `available` of them.

    If fewer base instances are available than wanted and the configuration allows it, a notice says so.

    Raises:
        StageStopped: fewer base instances are available than wanted, and the configuration does not allow so small a
            round.
    """
    documents = context.documents
    row = counted_supply(context, available)
    said = _said(context, row)
    if row["unanswered"]:
        query = f"FROM unanswered_questions WHERE round_id = '{context.round_id}'"
        observer().notice(
            f"{row['unanswered']} of {row['own']} questions of people have no proved answer in the documents. None of "
            f'them is an item; `demur sql "{query}"` lists them with the nearest passages, for people to look at'
        )
    if row["repeated"]:
        observer().notice(
            f"{row['repeated']} of {row['own']} questions of people ask the same as earlier questions, or are about "
            "passages that earlier rounds have used; the view question_outcomes has them (near_duplicate, used_passage)"
        )
    show_supply(context, said, row)
    if available >= context.config.bases:
        return
    said = (
        f'prove: {said}. `demur sql "SELECT by_whom, reason, questions FROM asking_reasons WHERE round_id = '
        f"'{context.round_id}'\"` shows the reasons of rejected questions"
    )
    if documents.when_short is WhenShort.SMALLER_ROUND and available >= documents.at_least:
        observer().notice(f"{said}. The round is smaller: corpus.when_short is smaller_round")
        return
    raise StageStopped(
        f"{said}. Add documents, raise asking.passages or asking.questions, or lower bases; corpus.when_short: "
        f"smaller_round accepts corpus.at_least ({documents.at_least}) base instances or more"
    )


def counted_supply(context: RoundContext, available: int) -> dict[str, Any]:
    """Return the numbers of documents, passages and questions of a round, and of wanted base instances."""
    with loader_reading(context) as con:
        [counted] = records(con, FOLDER / "supply.sql", [context.round_id])
        fresh = len(askable_passages(context, con))
    return {**counted, "fresh": fresh, "available": available, "wanted": context.config.bases}


def _said(context: RoundContext, row: Mapping[str, Any]) -> str:
    """Return a sentence that says how many base instances are available and how many are wanted.

    If `corpus.fresh` excludes used passages, a second sentence gives the number of new passages. The last sentence says
    about how many passages the round asked.
    """
    documents = context.documents
    said = f"documents {documents.name} gave {row['available']} base instances; bases: {row['wanted']} are wanted"
    if documents.fresh is not Fresh.ALL:
        said = (
            f"{said}. {row['fresh']} of {row['passages']} passages are new (corpus.fresh: {documents.fresh}, by "
            f"{documents.fresh_by})"
        )
    return f"{said}. {asked_of(context, row)}"


def asked_of(context: RoundContext, row: Mapping[str, Any]) -> str:
    """Return a sentence that says about how many passages the round asked, and why about no more.

    Without an asker, it says how many questions of people the round has.
    """
    if context.config.roles.asker is None:
        return f"{row['own']} questions of people were held against {row['passages']} passages"
    said = f"{row['asked']} of {row['passages']} passages were asked about"
    most = context.config.asking.most_passages(context.config.bases)
    if not row["asked"] < row["passages"] or row["asked"] < most:
        return said
    why = "asking.passages" if context.config.asking.passages else f"{PASSAGES_FOR_A_BASE} for each of bases"
    return f"{said}, the most that {why} allows"


def _available(context: RoundContext, *, own: bool = True, unread: bool = True) -> int:
    with loader_reading(context) as con:
        resting = resting_bases(context, con)
        ids = {row.base_id for row in rows_of_documents(context, con, own=own, unread=unread)}
    return len(ids - resting)
