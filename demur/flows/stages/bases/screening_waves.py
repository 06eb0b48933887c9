"""Repetition of the stages `ingest` and `screen` until the round has enough solved base instances.

A base instance is solved if all screeners answer it correctly. Each repetition, or wave, draws more base instances.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Final

from demur.engine.context import RoundContext, loader_reading, loader_writing
from demur.engine.logs import observer
from demur.engine.stage import StageReport, run_stage
from demur.engine.tasks import in_this_process
from demur.errors import StageStopped
from demur.flows.stages.bases.draw import Draw, draw_order, least_known
from demur.flows.stages.bases.ingest import wave
from demur.flows.stages.bases.recall import RECALL
from demur.flows.stages.bases.screen import FOLDER, SCREEN
from demur.flows.stages.questions.question_waves import asked_of, check_supply, counted_supply, supply
from demur.flows.stages.questions.read_documents import READ_DOCUMENTS, report_left_out
from demur.warehouse.round_rows import record_corpus_rows
from demur.warehouse.statements import records

LOWEST_SOLVE_RATE: Final = 0.2
"""Lower bound on the assumed share of solved base instances. It limits the size of a wave."""
HOPELESS: Final = 24
"""A round ends if none of so many base instances is solved. A screener that solves one in five gets there once in 200
rounds.
"""


def ingest_and_screen(context: RoundContext) -> int:
    """Land and screen base instances until the round has enough solved ones, and return their number.

    A round from documents first reads the documents and asks questions. If screening leaves too few base instances, it
    asks more questions. If the configuration has `generation.known`, probes are asked before base instances are drawn.

    Raises:
        CorpusError, ConfigError: the corpus cannot serve this round; nothing was bought.
        StageStopped: no base instance was solved, of the whole corpus or of HOPELESS.
    """
    if context.config.documents is not None:
        with in_this_process():
            run_stage(context, READ_DOCUMENTS)
        report_left_out(context)
        check_supply(context, supply(context, context.config.bases))
    if context.config.generation.known is not None:
        run_stage(context, RECALL)
    with loader_reading(context) as con:
        draw = draw_order(context, con)
    if draw.report is not None:
        with loader_writing(context) as con:
            record_corpus_rows(con, context.round_id, draw.report.counted())
    drawn = dict(draw.wanted)
    available = draw.available
    while True:
        run_stage(context, wave(draw, drawn))
        screened = run_stage(context, SCREEN)
        solved, missing = _count_solved(context, draw, drawn)
        short = [domain for domain, number in missing.items() if number > 0 and drawn[domain] < available[domain]]
        if not solved.total() and sum(drawn.values()) >= HOPELESS:
            break
        if not short:
            if not _asked_for_more(context, available.total(), missing):
                break
            with loader_reading(context) as con:
                draw = draw_order(context, con)
            available = draw.available
            drawn = dict(available)
        for domain in short:
            rate = max(solved[domain] / drawn[domain], LOWEST_SOLVE_RATE)
            more = math.ceil(missing[domain] / rate)
            more = more if solved.total() else min(more, max(drawn[domain], 1))  # few calls until one is solved
            drawn[domain] = min(available[domain], drawn[domain] + more)
    if not solved.total():
        raise StageStopped(
            f"screen: none of {sum(drawn.values())} base instances was answered correctly by all of "
            f"roles.screeners {', '.join(context.config.roles.screeners)}. {_remedy(screened)}"
        )
    for domain, wanted in draw.wanted.items():
        if solved[domain] < wanted:
            setting = "bases" if domain is None else f"corpus.domains.{domain}"
            source = _source(context, available.total())
            gave = f"gave {solved[domain]} solved base instances; {setting}: {wanted} were wanted"
            observer().notice(f"screen: {source} {gave}")
    _report_doubts(context)
    _report_known(context, draw)
    return sum(min(solved[domain], wanted) for domain, wanted in draw.wanted.items())


def _source(context: RoundContext, available: int) -> str:
    """Return what the base instances were drawn from."""
    if context.config.documents is None:
        return "the whole corpus"
    row = counted_supply(context, available)
    return f"documents {context.documents.name} ({asked_of(context, row)})"


def _asked_for_more(context: RoundContext, available: int, missing: Mapping[str | None, float]) -> bool:
    """Ask questions about more passages if base instances are missing and the corpus is documents.

    Return True if more base instances than `available` are available now.
    """
    lacking = math.ceil(max(missing.values()))
    if context.config.documents is None or lacking <= 0:
        return False
    return supply(context, available + lacking) > available


def _remedy(screened: StageReport) -> str:
    if not screened.failed:
        return "A model that answers none of them cannot tell which can be answered: use other screeners, or none: []"
    return (
        f'{screened.failed} units ended without an answer: `demur sql "SELECT reason, count(*) FROM live_failures '
        "WHERE stage = 'screen' GROUP BY 1\"` says why, and the same command asks them again"
    )


def _count_solved(
    context: RoundContext, draw: Draw, drawn: Mapping[str | None, int]
) -> tuple[Counter[str | None], dict[str | None, float]]:
    """Return how many base instances are solved and how many are missing in each domain.

    If the configuration has no quotas of domains, the only key is None. If too few solved base instances are known for
    `generation.known.min_share`, more base instances are missing in domains where the draw has more known ones.
    """
    with loader_reading(context) as con:
        rows = list(records(con, FOLDER / "count_solved.sql", [context.round_id]))
    solved: Counter[str | None] = Counter()
    known: Counter[str | None] = Counter()
    for row in rows:
        domain = None if None in draw.wanted else row["domain"]
        solved[domain] += row["solved"]
        known[domain] += row["known"]
    missing: dict[str | None, float] = {domain: wanted - solved[domain] for domain, wanted in draw.wanted.items()}
    if (setting := context.config.generation.known) is not None:
        for domain in draw.known_left(drawn):
            lacking = least_known(draw.wanted[domain], setting.min_share) - known[domain]
            missing[domain] = max(missing[domain], lacking / setting.min_share)
    return solved, missing


def _report_doubts(context: RoundContext) -> None:
    """Give a notice of base instances that are left out because their accepted answers cannot serve."""
    with loader_reading(context) as con:
        for row in list(records(con, FOLDER / "count_doubts.sql", [context.round_id])):
            observer().notice(
                f"screen: {row['bases']} base instances are left out, because their accepted answer {row['doubt']}; "
                "the table screenings has them (doubt)"
            )


def _report_known(context: RoundContext, draw: Draw) -> None:
    """Give a notice if the round has fewer known base instances than `generation.known.min_share` wants."""
    setting = context.config.generation.known
    if setting is None:
        return
    with loader_reading(context) as con:
        known = next(records(con, FOLDER / "count_known.sql", [context.round_id]))["known"]
    wanted = sum(least_known(number, setting.min_share) for number in draw.wanted.values())
    if known < wanted:
        observer().notice(
            f"recall: {known} base instances have answers that {', '.join(setting.probe)} know, and "
            f"generation.known.min_share: {setting.min_share} wants {wanted}. Raise generation.known.asked "
            f"({setting.asked} questions were asked), or lower min_share"
        )
