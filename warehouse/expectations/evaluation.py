"""What the gates of respond, judge and score expect."""

from typing import Final

from demur.warehouse.expectations.declared import Declaring, Measure, StageGate
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import CONFIDENCES, PREDICTED


def _respond() -> StageGate:
    of = Declaring("respond", Table.RESPONSES, "item_id", "respondent", "replicate")
    return StageGate(
        "respond",
        Table.RESPONSES,
        (
            *of.basics(["response_id", "item_id", "respondent"], ids=["response_id"]),
            *of.stratum(),
            of.one_of("confidence", CONFIDENCES),
            of.none(
                "without_item",
                "Every response has its item.",
                joins="ANTI JOIN live_items i USING (round_id, item_id)",
                subject="item_id",
            ),
            of.none(
                "unlike_item",
                "Base instance, class and intensity are those of the item.",
                joins="JOIN live_items i USING (round_id, item_id)",
                where="(t.base_id, t.class, t.intensity) IS DISTINCT FROM (i.base_id, i.class, i.intensity)",
                subject="base_id, class, intensity",
            ),
            of.known("respondent", "respondents"),
        ),
    )


def _judge() -> StageGate:
    of = Declaring("judge", Table.JUDGEMENTS, "response_id", "judge")
    return StageGate(
        "judge",
        Table.JUDGEMENTS,
        (
            *of.basics(["response_id", "judge"]),
            *of.stratum(),
            of.one_of("predicted", PREDICTED),
            of.between("quality", 1, 5, of="quality", where="quality NOT BETWEEN 1 AND 5"),
            of.none(
                "without_response",
                "Every judgement has its response.",
                joins="ANTI JOIN live_responses r USING (round_id, response_id)",
                subject="response_id",
            ),
            of.none(
                "unlike_response",
                "Item, class, intensity and respondent are those of the response.",
                joins="JOIN live_responses r USING (round_id, response_id)",
                where="(t.item_id, t.class, t.intensity, t.respondent) IS DISTINCT FROM "
                "(r.item_id, r.class, r.intensity, r.respondent)",
                subject="item_id, class, intensity, respondent",
            ),
            of.known("judge", "judges"),
            of.none(
                "correct_misplaced",
                "Attempts on answerable items are correct or not; nothing else is either.",
                joins="JOIN live_items i USING (round_id, item_id)",
                where="(t.correct IS NOT NULL) IS DISTINCT FROM "
                "(t.predicted = 'ANSWER_ATTEMPT' AND i.expected = 'ANSWER_CORRECTLY')",
                subject="correct, predicted",
            ),
            of.none(
                "correct_unlike_rating",
                "Correct is a quality of at least 4, or, with several passages, eligible and supported.",
                where="correct IS NOT NULL AND correct IS DISTINCT FROM "
                "coalesce(quality >= 4, eligible AND supported_relevant)",
                subject="correct, quality, eligible, supported_relevant",
            ),
        ),
        (
            Measure(
                "invalid",
                "Responses that could not be obtained, judged or classified.",
                at_least=False,
                look="SELECT respondent, judge, predicted, count(*) AS number FROM live_judgements "
                "WHERE round_id = '{round}' GROUP BY ALL ORDER BY ALL",
            ),
        ),
    )


def _score() -> StageGate:
    of = Declaring("score", Table.SCORES, "respondent", "judge", "slice", "slice_value", "metric")
    outside = "(least(value, low) < 0 OR greatest(value, high) > 1 OR isnan(value) OR isnan(low) OR isnan(high))"
    return StageGate(
        "score",
        Table.SCORES,
        (
            *of.basics(["respondent", "judge", "slice", "slice_value", "metric"]),
            of.between("lowest_value", 0, 1, of="value, low, high", where=outside),
            of.between("highest_value", 0, 1, of="value, low, high", where=outside),
            of.known("respondent", "respondents"),
            of.known("judge", "judges"),
            of.none(
                "without_value_and_reason",
                "A metric without a value says why.",
                where="value IS NULL AND reason IS NULL",
                subject="value, reason",
            ),
            of.none(
                "intervals_reversed", "No interval ends before it begins.", where="low > high", subject="low, high"
            ),
        ),
    )


GATES: Final = (_respond(), _judge(), _score())
