-- What is known of a judge: its newest comparison with people, and its judgements on a board that it was asked for, with
-- those that contradict themselves and those that could not be read.
SELECT
    c.responses, c.observed, c.observed_low, c.observed_high, j.judged, j.contradictions, j.unreadable
FROM (
    SELECT
        count(*) AS judged, count(contradiction) AS contradictions,
        count(*) FILTER (predicted = 'INVALID') AS unreadable
    FROM live_judgements l
    JOIN evaluation_boards b ON b.round_id = l.round_id AND b.respondent = l.respondent AND b.judge = l.judge
    WHERE b.board_id = $2 AND coalesce(l.judged_by, 'judge') = 'judge'
) j
LEFT JOIN (
    SELECT responses, observed, observed_low, observed_high
    FROM judge_calibrations WHERE judge_digest = $1 AND aspect = 'code'
    ORDER BY calibrated_at DESC LIMIT 1
) c ON true;
