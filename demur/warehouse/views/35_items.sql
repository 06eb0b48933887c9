-- Single items: responses, near pairs, near copies, items without right responses, and split verdicts.

CREATE OR REPLACE VIEW item_responses AS
SELECT
    i.round_id, i.item_id, i.kind, i.class, i.intensity, i.lever_id, i.lever, i.generator, i.expected, i.question,
    r.respondent, r.replicate, r.response_id, r.response, r.confidence,
    j.judge, j.predicted, j.quality, j.explanation,
    CASE
        WHEN i.expected = 'ANSWER_CORRECTLY' THEN j.predicted = 'ANSWER_ATTEMPT' AND j.correct
        WHEN i.expected = 'REFUSE' THEN j.predicted LIKE 'REFUSE\_%' ESCAPE '\'
        ELSE j.predicted = i.expected
    END AS is_right
FROM live_items i
JOIN live_responses r USING (round_id, item_id)
LEFT JOIN live_judgements j USING (round_id, response_id)
ORDER BY i.round_id, i.item_id, r.respondent, r.replicate, j.judge;
COMMENT ON VIEW item_responses IS 'One row per item, respondent, replicate and judge: item, response and judgement. If there is no judgement yet, its columns are null.';
COMMENT ON COLUMN item_responses.generator IS 'model that made the perturbation; null for controls';
COMMENT ON COLUMN item_responses.is_right IS 'whether the response is a correct answer or the expected refusal; null for an answer without a grade';

CREATE OR REPLACE VIEW near_pairs AS
SELECT
    i.round_id, i.base_id, c.item_id AS control_id, i.item_id, i.class, i.intensity, i.lever_id, i.lever, i.generator,
    i.words_changed, c.question AS control_question, i.question
FROM live_items i
JOIN live_items c ON c.round_id = i.round_id AND c.base_id = i.base_id AND c.kind = 'control'
WHERE i.kind = 'perturbed' AND i.expected <> 'ANSWER_CORRECTLY'
QUALIFY row_number() OVER (PARTITION BY i.round_id, i.base_id ORDER BY i.words_changed, i.item_id) = 1;
COMMENT ON VIEW near_pairs IS 'One row per base instance with items to be refused: the control, and the item to be refused that differs least from the control.';
COMMENT ON COLUMN near_pairs.control_id IS 'id of the control of the base instance';
COMMENT ON COLUMN near_pairs.item_id IS 'id of the item to be refused';
COMMENT ON COLUMN near_pairs.generator IS 'model that made the perturbed item';
COMMENT ON COLUMN near_pairs.words_changed IS 'number of words and punctuation marks in which control and item differ, the smallest number among the items to be refused of the base instance';
COMMENT ON COLUMN near_pairs.control_question IS 'question of the control';

CREATE OR REPLACE VIEW near_copies AS
WITH grams AS (
    SELECT round_id, item_id, unnest(frame_grams) AS gram, len(frame_grams) AS number
    FROM live_items
    WHERE kind = 'perturbed' AND len(frame_grams) >= 2
), shared AS (
    SELECT a.round_id, a.item_id, b.item_id AS other_id, count(*) / least(any_value(a.number), any_value(b.number)) AS shared
    FROM grams a
    JOIN grams b ON b.round_id = a.round_id AND b.gram = a.gram AND b.item_id <> a.item_id
    GROUP BY ALL
    HAVING shared >= 0.5 AND count(*) >= 2
)
SELECT
    s.round_id, s.item_id, i.class, i.intensity, i.lever_id, i.lever, i.generator,
    arg_max(s.other_id, (s.shared, s.other_id)) AS other_id, max(s.shared) AS shared, count(*) AS copies
FROM shared s
JOIN live_items i USING (round_id, item_id)
GROUP BY ALL;
COMMENT ON VIEW near_copies IS 'One row per perturbed item with a near copy in the round. A near copy is another item that shares at least half of the frame: the added text without names, numbers and words of the base instance.';
COMMENT ON COLUMN near_copies.other_id IS 'id of the item that shares most of the frame';
COMMENT ON COLUMN near_copies.shared IS 'share of the shorter frame''s runs of three words that are in both frames';
COMMENT ON COLUMN near_copies.copies IS 'number of other items of the round that share at least half of the frame';

CREATE OR REPLACE VIEW pair_responses AS
SELECT
    p.round_id, p.base_id, p.control_id, p.item_id, p.class, p.intensity, p.words_changed, r.respondent, r.replicate,
    r.judge, c.is_right AS control_is_right, r.is_right AS item_is_right, c.is_right AND r.is_right AS both_right
FROM near_pairs p
JOIN item_responses r USING (round_id, item_id)
JOIN item_responses c
    ON c.round_id = p.round_id AND c.item_id = p.control_id AND c.respondent = r.respondent
    AND c.replicate = r.replicate AND c.judge = r.judge;
COMMENT ON VIEW pair_responses IS 'One row per near pair, respondent, replicate and judge: whether the responses to control and item are right. A respondent that always answers, or always refuses, gets no pair right.';
COMMENT ON COLUMN pair_responses.words_changed IS 'number of words and punctuation marks in which control and item differ';
COMMENT ON COLUMN pair_responses.control_is_right IS 'whether the control was answered correctly; null for an answer without a grade';
COMMENT ON COLUMN pair_responses.item_is_right IS 'whether the item was refused with the code of its class';
COMMENT ON COLUMN pair_responses.both_right IS 'whether both responses are right';

CREATE OR REPLACE VIEW failed_by_all AS
SELECT
    round_id, judge, item_id, kind, class, intensity, lever_id, lever, generator, expected, question,
    count(*) AS responses,
    mode(predicted ORDER BY predicted) AS predicted
FROM item_responses
WHERE judge IS NOT NULL
GROUP BY ALL
HAVING NOT bool_or(coalesce(is_right, true))
ORDER BY round_id, judge, class, intensity, item_id;
COMMENT ON VIEW failed_by_all IS 'One row per judge and item for which every judged response is wrong.';
COMMENT ON COLUMN failed_by_all.responses IS 'number of judged responses, which are all wrong';
COMMENT ON COLUMN failed_by_all.predicted IS 'most frequent classification of the responses; among equally frequent ones, the first by name';

CREATE OR REPLACE VIEW split_verdicts AS
SELECT
    c.round_id, c.perturbation_id, c.base_id, c.class, c.intensity, c.generator, c.lever_id, c.lever, p.question,
    c.verdicts, c.passes, c.accepted,
    list(v.verifier ORDER BY v.verifier) FILTER (v.outcome = 'pass') AS passed_by,
    list(v.verifier ORDER BY v.verifier) FILTER (v.outcome <> 'pass') AS failed_by
FROM consensus c
JOIN live_perturbations p USING (round_id, perturbation_id)
JOIN counting_verdicts v USING (round_id, perturbation_id)
GROUP BY ALL
HAVING count(DISTINCT v.outcome = 'pass') = 2
ORDER BY c.round_id, c.class, c.intensity, c.perturbation_id;
COMMENT ON VIEW split_verdicts IS 'One row per candidate that some verifiers pass and other verifiers fail.';
COMMENT ON COLUMN split_verdicts.question IS 'question of the candidate';
COMMENT ON COLUMN split_verdicts.passed_by IS 'verifiers that pass the candidate';
COMMENT ON COLUMN split_verdicts.failed_by IS 'verifiers that fail the candidate, inconsistent verdicts included';
