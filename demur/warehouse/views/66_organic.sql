-- Organic items: what the corpus gave without a planted defect, from asking to scores, beside what was planted.

CREATE OR REPLACE VIEW organic_yield AS
SELECT
    p.round_id, p.lever_id, any_value(p.lever) AS lever,
    count(*) AS made,
    count(*) FILTER (p.status = 'rejected') AS rejected,
    count(c.perturbation_id) AS candidates,
    count(*) FILTER (c.accepted) AS accepted,
    count(i.item_id) AS items
FROM live_perturbations p
LEFT JOIN consensus c USING (round_id, perturbation_id)
LEFT JOIN live_items i USING (round_id, perturbation_id)
WHERE p.generator = 'corpus'
GROUP BY p.round_id, p.lever_id
ORDER BY p.round_id, p.lever_id;
COMMENT ON VIEW organic_yield IS 'One row per round and kind of organic item: from what the corpus gave to items.';
COMMENT ON COLUMN organic_yield.lever_id IS 'what verifiers are told of the kind, in the shape of a lever';
COMMENT ON COLUMN organic_yield.made IS 'questions and passages that the corpus gave';
COMMENT ON COLUMN organic_yield.rejected IS 'failed a code check';
COMMENT ON COLUMN organic_yield.candidates IS 'went to the verifiers';
COMMENT ON COLUMN organic_yield.accepted IS 'accepted by them';
COMMENT ON COLUMN organic_yield.items IS 'in the round';

CREATE OR REPLACE VIEW organic_scores AS
WITH kinds AS (
    SELECT round_id, respondent, judge, slice_value AS kind, n, value, low, high, reason
    FROM live_scores
    WHERE slice = 'kind' AND slice_value IN ('unanswerable', 'mismatched') AND metric = 'refusal_accuracy'
), planted AS (
    SELECT round_id, respondent, judge, n AS planted_n, value AS planted
    FROM live_scores
    WHERE slice = 'class' AND slice_value = 'P-MissingInfo' AND metric = 'refusal_accuracy'
)
SELECT
    k.round_id, k.respondent, k.judge, k.kind, k.n, k.value AS refusal_accuracy, k.low, k.high,
    p.planted_n, p.planted,
    (k.n * k.value + p.planted_n * p.planted) / (k.n + p.planted_n) AS together,
    k.reason
FROM kinds k
LEFT JOIN planted p USING (round_id, respondent, judge)
ORDER BY k.round_id, k.judge, k.respondent, k.kind;
COMMENT ON VIEW organic_scores IS 'One row per respondent, judge and kind of organic item: right refusals of them, beside those of what was planted in the same class.';
COMMENT ON COLUMN organic_scores.kind IS '`unanswerable`: a question that the corpus marks as impossible; `mismatched`: a question with passages of others';
COMMENT ON COLUMN organic_scores.refusal_accuracy IS 'share refused with the code for missing information';
COMMENT ON COLUMN organic_scores.planted_n IS 'responses to planted items of P-MissingInfo that are to be refused; null where there are none';
COMMENT ON COLUMN organic_scores.planted IS 'refusal_accuracy of these, as every other score has it';
COMMENT ON COLUMN organic_scores.together IS 'refusal_accuracy of both; null where one is missing';
