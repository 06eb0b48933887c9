-- What a round warns of: expectations that were not met, units that ended without a result, an incomplete evaluation.
SELECT
    stage,
    format('{} ({})', expectation, coalesce(subject, 'all')) AS warning,
    coalesce(bound, '') AS allowed,
    coalesce(observed, '') AS observed
FROM expectation_results
WHERE round_id = $1 AND NOT success
UNION ALL
SELECT stage, 'without a result: ' || reason, '', format('{} units', count(*))
FROM live_failures
WHERE round_id = $1
GROUP BY stage, reason
UNION ALL
SELECT 'judge', format('evaluation of {} by {}', respondent, judge), 'complete', state
FROM leaderboard
WHERE round_id = $1 AND state <> 'complete'
ORDER BY ALL;
