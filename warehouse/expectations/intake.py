"""What the gates of ingest and screen expect."""

from typing import Final

from demur.warehouse.expectations.declared import Declaring, Measure, StageGate
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import LAYOUTS, PREDICTED


def _ingest() -> StageGate:
    of = Declaring("ingest", Table.BASE_INSTANCES, "base_id")
    return StageGate(
        "ingest",
        Table.BASE_INSTANCES,
        (
            *of.basics(["base_id", "source_id"]),
            of.one_of("layout", LAYOUTS),
            of.none(
                "layouts_unlike_round",
                "Every base instance has the layout of the round.",
                joins="JOIN rounds r USING (round_id)",
                where="t.layout <> r.layout",
                subject="layout",
            ),
            of.none(
                "draws_repeated",
                "No two base instances have the same place in the draw.",
                where="draw IN (SELECT draw FROM live_base_instances WHERE round_id = '{round}' "
                "GROUP BY ALL HAVING count(*) > 1)",
                subject="draw",
            ),
            of.none(
                "without_answer",
                "Every base instance has an accepted answer.",
                where="len(list_filter(answers, lambda answer: trim(answer) <> '')) = 0",
                subject="answers",
            ),
            of.none(
                "without_passage", "Every base instance has a passage.", where="len(passages) = 0", subject="passages"
            ),
        ),
    )


def _screen() -> StageGate:
    of = Declaring("screen", Table.SCREENINGS, "base_id", "screener")
    return StageGate(
        "screen",
        Table.SCREENINGS,
        (
            *of.basics(["base_id", "screener"]),
            of.one_of("predicted", PREDICTED),
            of.none(
                "without_base_instance",
                "Every screening has its base instance.",
                joins="ANTI JOIN live_base_instances b USING (round_id, base_id)",
                subject="base_id",
            ),
            of.known("screener", "screeners"),
            of.none(
                "correct_without_attempt",
                "Only an attempt to answer is correct.",
                where="correct AND predicted <> 'ANSWER_ATTEMPT'",
                subject="correct",
            ),
        ),
        (
            Measure(
                "screening",
                "Base instances that every screener answers correctly.",
                at_least=True,
                look="SELECT screener, predicted, correct, count(*) AS number FROM live_screenings "
                "WHERE round_id = '{round}' GROUP BY ALL ORDER BY ALL",
            ),
        ),
    )


GATES: Final = (_ingest(), _screen())
