-- How many candidates all verifiers accept.
SELECT
    'acceptance' AS measure, 'candidates' AS subject,
    count(*) FILTER (accepted) AS successes,
    count(*) AS trials
FROM consensus
WHERE round_id = $round_id;
