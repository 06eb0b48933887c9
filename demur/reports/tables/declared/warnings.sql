-- Warnings of a round: expectations that were not met, languages that were not detected with certainty, units without a
-- result, incomplete evaluations.
SELECT
    stage,
    format('{} ({})', expectation, coalesce(subject, 'all')) AS warning,
    bound AS allowed,
    observed
FROM expectation_results
WHERE round_id = $round AND NOT success
UNION ALL
SELECT
    'ingest', 'language unsure, taken for English', NULL,
    format('{} of {} base instances', count(*) FILTER (language IS NULL), count(*))
FROM live_base_instances
WHERE round_id = $round AND language_confidence IS NOT NULL
HAVING count(*) FILTER (language IS NULL) > 0
UNION ALL
SELECT stage, 'without a result: ' || reason, NULL, format('{} units', count(*))
FROM live_failures
WHERE round_id = $round
GROUP BY stage, reason
UNION ALL
SELECT 'judge', format('evaluation of {} by {}', respondent, judge), 'complete', state
FROM leaderboard
WHERE round_id = $round AND state <> 'complete'
ORDER BY ALL;
