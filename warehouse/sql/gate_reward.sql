-- Rewards of a round by policy and behaviour: rows, units, and rows that break what a release relies on.
WITH landed AS (
    SELECT
        w.*,
        u.round_id <> w.round_id AS of_another_round,
        row_number() OVER (PARTITION BY w.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY w.policy, w.behaviour, w.response_id) AS row_of_key
    FROM units u JOIN rewards w USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'reward'
)
SELECT
    policy, behaviour,
    count(*) AS rows,
    count(*) FILTER (row_of_unit = 1) AS units,
    count(*) FILTER (of_another_round) AS rows_of_another_round,
    count(*) FILTER (row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (policy, behaviour, response_id)) AS keys_blank,
    count(*) FILTER (response_id NOT IN (SELECT response_id FROM live_responses WHERE round_id = $round_id))
        AS without_response,
    count(*) FILTER (
        (policy, behaviour) NOT IN (SELECT (policy, behaviour) FROM live_fits WHERE round_id = $round_id)
    ) AS without_fit,
    count(*) FILTER (NOT isfinite(reward)) AS not_finite
FROM landed
GROUP BY ALL
ORDER BY ALL;
