-- How many of the screened base instances every screener answered correctly.
SELECT
    'screening' AS measure, 'base instances' AS subject,
    count(*) FILTER (base_id IN (SELECT base_id FROM solved_bases WHERE round_id = $round_id)) AS successes,
    count(*) AS trials
FROM live_base_instances
WHERE round_id = $round_id;
