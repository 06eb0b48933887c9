-- Expectations of the stage screen for screenings.

-- without_base_instance: base_id
-- Every screening belongs to a base instance.
SELECT unit_id, base_id, screener
FROM live_screenings
ANTI JOIN live_base_instances USING (round_id, base_id)
WHERE round_id = $round_id;

-- screeners_unknown: screener
-- Every screening comes from a screener of the round.
SELECT unit_id, base_id, screener
FROM live_screenings
WHERE round_id = $round_id
    AND split_part(screener, '#', 1) NOT IN (SELECT unnest(screeners) FROM rounds WHERE round_id = $round_id);

-- correct_without_attempt: correct
-- Every correct reply is an attempt to answer.
SELECT unit_id, base_id, screener, predicted
FROM live_screenings
WHERE round_id = $round_id AND correct AND predicted <> 'ANSWER_ATTEMPT';

-- share screening: at least
-- Share of base instances that every screener answers correctly.
SELECT
    'base instances' AS subject,
    count(*) FILTER (base_id IN (SELECT base_id FROM solved_bases WHERE round_id = $round_id)) AS successes,
    count(*) AS trials
FROM live_base_instances
WHERE round_id = $round_id;
