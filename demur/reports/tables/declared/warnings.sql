-- What a round warns of: expectations that were not met, units that ended without a result, an incomplete evaluation.
SELECT
    stage,
    format('{} ({})', expectation, coalesce(subject, 'all')) AS warning,
    bound AS allowed,
    observed
FROM expectation_results
WHERE round_id = $round AND NOT success
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
