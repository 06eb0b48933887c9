-- Items one by one: what was answered, what every respondent gets wrong, where verifiers disagree.

CREATE OR REPLACE VIEW item_responses AS
SELECT
    i.round_id, i.item_id, i.kind, i.class, i.intensity, i.lever_id, i.lever, i.generator, i.expected, i.question,
    r.respondent, r.replicate, r.response_id, r.response, r.confidence,
    j.judge, j.predicted, j.quality, j.explanation,
    CASE
        WHEN i.expected = 'ANSWER_CORRECTLY' THEN j.predicted = 'ANSWER_ATTEMPT' AND j.correct
        ELSE j.predicted = i.expected
    END AS is_right
FROM live_items i
JOIN live_responses r USING (round_id, item_id)
LEFT JOIN live_judgements j USING (round_id, response_id)
ORDER BY i.round_id, i.item_id, r.respondent, r.replicate, j.judge;
COMMENT ON VIEW item_responses IS 'One row per item, respondent, replicate and judge: what was asked, answered and judged; the judge''s columns are null until it is judged.';
COMMENT ON COLUMN item_responses.question IS 'question of the item';
COMMENT ON COLUMN item_responses.generator IS 'who made it; null for controls';
COMMENT ON COLUMN item_responses.is_right IS 'whether it is the right answer or refusal; null for an answer without a grade';

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
COMMENT ON VIEW failed_by_all IS 'One row per judge and item to which every judged response is wrong.';
COMMENT ON COLUMN failed_by_all.question IS 'question of the item';
COMMENT ON COLUMN failed_by_all.generator IS 'who made it; null for controls';
COMMENT ON COLUMN failed_by_all.responses IS 'judged responses, all of them wrong';
COMMENT ON COLUMN failed_by_all.predicted IS 'what most of them were; the first by name among equals';

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
COMMENT ON VIEW split_verdicts IS 'One row per candidate that some verifiers pass and others fail.';
COMMENT ON COLUMN split_verdicts.question IS 'question of the candidate';
COMMENT ON COLUMN split_verdicts.verdicts IS 'verdicts that count for it';
COMMENT ON COLUMN split_verdicts.passed_by IS 'verifiers that pass it';
COMMENT ON COLUMN split_verdicts.failed_by IS 'verifiers that fail it, inconsistent verdicts included';
