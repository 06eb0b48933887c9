-- Expectations of the stage judge for judgements.

-- quality_in_range: quality
-- Every quality lies between 1 and 5.
SELECT unit_id, response_id, judge, quality
FROM live_judgements
WHERE round_id = $round_id AND quality NOT BETWEEN 1 AND 5;

-- without_response: response_id
-- Every judgement belongs to a response or a line of a file.
SELECT unit_id, response_id, judge
FROM live_judgements
ANTI JOIN (
    SELECT round_id, response_id FROM live_responses UNION ALL SELECT round_id, subject_id FROM live_file_lines
) USING (round_id, response_id)
WHERE round_id = $round_id;

-- unlike_response: item_id, class, intensity, respondent
-- Item, class, intensity and respondent of a judgement are those of its response.
SELECT t.unit_id, t.response_id, t.judge
FROM live_judgements t
JOIN live_responses r USING (round_id, response_id)
WHERE t.round_id = $round_id
    AND (t.item_id, t.class, t.intensity, t.respondent)
    IS DISTINCT FROM (r.item_id, r.class, r.intensity, r.respondent);

-- judges_unknown: judge
-- Every judgement comes from a judge of the round.
SELECT unit_id, response_id, judge
FROM live_judgements
WHERE round_id = $round_id
    AND judge NOT IN (SELECT unnest(judges) FROM rounds WHERE round_id = $round_id);

-- correct_misplaced: correct, predicted
-- Attempts to answer answerable items are marked as correct or not correct, and no other responses are.
SELECT t.unit_id, t.response_id, t.judge, t.predicted, t.correct
FROM live_judgements t
JOIN live_items i USING (round_id, item_id)
WHERE t.round_id = $round_id
    AND (t.correct IS NOT NULL)
    IS DISTINCT FROM (t.predicted = 'ANSWER_ATTEMPT' AND i.expected = 'ANSWER_CORRECTLY');

-- correct_unlike_rating: correct, quality, eligible, supported_relevant
-- An answer is correct if its quality is at least 4 or, with several passages, if it is eligible and supported.
SELECT unit_id, response_id, judge, correct, quality, eligible, supported_relevant
FROM live_judgements
WHERE round_id = $round_id AND correct IS NOT NULL
    AND correct IS DISTINCT FROM coalesce(quality >= 4, eligible AND supported_relevant);

-- share invalid: at most
-- Share of responses that could not be obtained, judged or classified, among those that were asked for.
SELECT
    respondent || ', judged by ' || judge AS subject,
    count(*) FILTER (predicted = 'INVALID') AS successes,
    count(*) AS trials
FROM (
    SELECT round_id, respondent, judge, predicted FROM live_judgements
    UNION ALL BY NAME
    SELECT f.round_id, f.respondent, w.judge, 'INVALID' AS predicted
    FROM failed_responses f JOIN judgings w USING (round_id, respondent)
    UNION ALL BY NAME
    SELECT g.round_id, a.respondent, g.judge, 'INVALID' AS predicted
    FROM failed_judgements g JOIN live_responses a USING (round_id, response_id)
)
JOIN judgings USING (round_id, respondent, judge)
WHERE round_id = $round_id
GROUP BY ALL
ORDER BY subject;
