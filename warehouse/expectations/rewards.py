"""What the gates of write, grade, fit and reward expect."""

from typing import Final

from demur.warehouse.expectations.declared import Declaring, StageGate
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import SUBJECT_KINDS


def _write() -> StageGate:
    of = Declaring("write", Table.COMPLETIONS, "policy", "behaviour", "prompt_id", "label", "variant", "writer")
    foreign = (
        "SELECT t.round_id, t.unit_id FROM units u JOIN completions t USING (unit_id) WHERE u.round_id = '{round}' "
        "AND u.stage = 'write' AND t.round_id <> u.round_id AND (t.class IS NOT NULL OR t.prompt_id IN "
        "(SELECT item_id FROM live_items WHERE round_id = '{round}'))"
    )
    return StageGate(
        "write",
        Table.COMPLETIONS,
        (
            *of.basics(
                ["completion_id", "policy", "behaviour", "prompt_id", "label", "writer"],
                ids=["completion_id"],
                own_round=False,
            ),
            of.seen(
                "rows_of_another_round", "No completion about an item was made in another round.", foreign, "round_id"
            ),
            *of.stratum(),
            of.none(
                "without_item",
                "Every completion about a stratum has its item.",
                joins="ANTI JOIN live_items i ON i.round_id = t.round_id AND i.item_id = t.prompt_id",
                where="t.class IS NOT NULL",
                subject="prompt_id",
            ),
            of.none(
                "unlike_item",
                "Class and intensity are those of the item.",
                joins="JOIN live_items i ON i.round_id = t.round_id AND i.item_id = t.prompt_id",
                where="(t.class, t.intensity) IS DISTINCT FROM (i.class, i.intensity)",
                subject="class, intensity",
            ),
            of.none(
                "policies_unknown",
                "Every policy is one that the round fits.",
                joins="JOIN rounds r USING (round_id)",
                where="t.policy NOT IN (SELECT unnest(CAST(config -> '$.fit.policies' AS VARCHAR[])) FROM rounds "
                "WHERE round_id = '{round}')",
                subject="policy",
            ),
            of.none(
                "without_intention",
                "Every completion says which propositions it is meant to make true.",
                where="len(intended) = 0",
                subject="intended",
            ),
        ),
    )


def _grade() -> StageGate:
    of = Declaring("grade", Table.GRADES, "policy", "behaviour", "subject_kind", "subject_id", "grader", "proposition")
    outside = "NOT coalesce(probability BETWEEN 0 AND 1, false)"
    foreign = (
        "SELECT t.round_id, t.unit_id FROM units u JOIN grades t USING (unit_id) WHERE u.round_id = '{round}' "
        "AND u.stage = 'grade' AND t.round_id <> u.round_id AND t.subject_kind = 'response'"
    )
    subjects = (
        "(SELECT 'completion' AS subject_kind, completion_id AS subject_id, class, intensity FROM live_completions "
        "WHERE round_id = '{round}' UNION ALL SELECT 'response', response_id, class, intensity FROM live_responses "
        "WHERE round_id = '{round}') s USING (subject_kind, subject_id)"
    )
    return StageGate(
        "grade",
        Table.GRADES,
        (
            *of.basics(["policy", "behaviour", "subject_id", "grader", "proposition"], own_round=False),
            of.seen("rows_of_another_round", "No response was graded in another round.", foreign, "round_id"),
            of.one_of("subject_kind", SUBJECT_KINDS),
            *of.stratum(),
            of.between("lowest_probability", 0, 1, of="probability", where=outside),
            of.between("highest_probability", 0, 1, of="probability", where=outside),
            of.none(
                "without_subject",
                "Every grade has its completion or response.",
                joins=f"ANTI JOIN {subjects}",
                subject="subject_kind, subject_id",
            ),
            of.none(
                "unlike_subject",
                "Class and intensity are those of the completion or response.",
                joins=f"JOIN {subjects}",
                where="(t.class, t.intensity) IS DISTINCT FROM (s.class, s.intensity)",
                subject="class, intensity",
            ),
            of.seen(
                "propositions_missing",
                "Whatever is graded for a behaviour is graded for all of its propositions.",
                "SELECT * FROM (SELECT policy, behaviour, subject_kind, subject_id, count(*) AS propositions "
                "FROM live_grades WHERE round_id = '{round}' GROUP BY ALL) "
                "QUALIFY propositions < max(propositions) OVER (PARTITION BY policy, behaviour)",
                "proposition",
            ),
        ),
    )


def _fit() -> StageGate:
    of = Declaring("fit", Table.FITS, "policy", "behaviour", "grader")
    errors = "pairwise_error_train, pairwise_error_held_out, ideal_first_train, ideal_first_held_out"
    outside = f"(least({errors}) < 0 OR greatest({errors}) > 1)"
    weights = "SELECT unit_id, policy, behaviour, feature, kind, value, low, high FROM live_weights "
    return StageGate(
        "fit",
        Table.FITS,
        (
            *of.basics(["policy", "behaviour", "grader"], own_round=False),
            of.between("lowest_error", 0, 1, of=errors, where=outside),
            of.between("highest_error", 0, 1, of=errors, where=outside),
            of.none(
                "without_grades",
                "Every fit has graded completions.",
                joins="ANTI JOIN (SELECT * FROM live_grades WHERE subject_kind = 'completion') g "
                "USING (round_id, policy, behaviour, grader)",
                subject="policy, behaviour, grader",
            ),
            of.none(
                "without_weights",
                "Every fit has weights.",
                joins="ANTI JOIN live_weights w USING (round_id, unit_id)",
                subject="unit_id",
            ),
            of.none(
                "without_comparisons",
                "Every fit has pairs to learn from.",
                where="pairs_train = 0",
                subject="pairs_train",
            ),
            of.none(
                "not_finite",
                "Objective and relative gap are finite.",
                where="(NOT isfinite(objective) OR NOT isfinite(relative_gap))",
                subject="objective, relative_gap",
            ),
            of.seen(
                "weights_repeated",
                "Every feature has one weight.",
                "SELECT policy, behaviour, feature, kind, count(*) AS number FROM live_weights "
                "WHERE round_id = '{round}' GROUP BY ALL HAVING number > 1",
                "weights.feature",
            ),
            of.seen(
                "kinds_unknown",
                "Every weight belongs to a proposition or a class.",
                weights + "WHERE round_id = '{round}' AND kind NOT IN ('proposition', 'class')",
                "weights.kind",
            ),
            of.seen(
                "weights_not_finite",
                "Weights and their intervals are finite.",
                weights
                + "WHERE round_id = '{round}' AND (NOT isfinite(value) OR NOT isfinite(low) OR NOT isfinite(high))",
                "weights.value, low, high",
            ),
            of.seen(
                "intervals_reversed",
                "No interval ends before it begins.",
                weights + "WHERE round_id = '{round}' AND low > high",
                "weights.low, high",
            ),
            of.seen(
                "weights_without_fit",
                "Every weight has its fit.",
                "SELECT unit_id, policy, behaviour, feature FROM live_weights "
                "ANTI JOIN live_fits USING (round_id, unit_id) WHERE round_id = '{round}'",
                "weights.unit_id",
            ),
        ),
    )


def _reward() -> StageGate:
    of = Declaring("reward", Table.REWARDS, "policy", "behaviour", "response_id")
    return StageGate(
        "reward",
        Table.REWARDS,
        (
            *of.basics(["policy", "behaviour", "response_id"]),
            of.none(
                "without_response",
                "Every reward has its response.",
                joins="ANTI JOIN live_responses r USING (round_id, response_id)",
                subject="response_id",
            ),
            of.none(
                "without_fit",
                "Every reward has the fit of its policy and behaviour.",
                joins="ANTI JOIN live_fits f USING (round_id, policy, behaviour)",
                subject="policy, behaviour",
            ),
            of.none("not_finite", "Every reward is finite.", where="NOT isfinite(reward)", subject="reward"),
        ),
    )


GATES: Final = (_write(), _grade(), _fit(), _reward())
