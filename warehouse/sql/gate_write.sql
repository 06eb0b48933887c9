-- Completions of a round by policy, behaviour, label and stratum: rows, units, and rows that break what later stages
-- rely on. Completions about a base instance's stratum have an item as their prompt; a policy with prompts of its own
-- may have been written for in an earlier round.
WITH landed AS (
    SELECT
        c.unit_id, c.completion_id, c.policy, c.behaviour, c.prompt_id, c.class, c.intensity, c.label, c.variant,
        c.writer, len(c.intended) AS intentions,
        u.round_id <> c.round_id AS of_another_round,
        row_number() OVER (PARTITION BY c.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY c.completion_id) AS row_of_id,
        row_number() OVER (PARTITION BY c.policy, c.behaviour, c.prompt_id, c.label, c.variant, c.writer) AS row_of_key
    FROM units u JOIN completions c USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'write'
), known AS (
    SELECT DISTINCT item_id, class, intensity FROM live_items WHERE round_id = $round_id
)
SELECT
    c.policy, c.behaviour, c.label, c.class, c.intensity,
    count(*) AS rows,
    count(*) FILTER (c.row_of_unit = 1) AS units,
    count(*) FILTER (c.of_another_round AND (c.class IS NOT NULL OR k.item_id IS NOT NULL)) AS rows_of_another_round,
    count(*) FILTER (c.row_of_id > 1 OR c.row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (c.completion_id, c.policy, c.behaviour, c.prompt_id, c.label, c.writer)) AS keys_blank,
    count(*) FILTER (c.class IS NOT NULL AND k.item_id IS NULL) AS without_item,
    count(*) FILTER (
        k.item_id IS NOT NULL AND (c.class, c.intensity) IS DISTINCT FROM (k.class, k.intensity)
    ) AS unlike_item,
    count(*) FILTER (
        c.policy NOT IN (
            SELECT unnest(CAST(config -> '$.fit.policies' AS VARCHAR[])) FROM rounds WHERE round_id = $round_id
        )
    ) AS policies_unknown,
    count(*) FILTER (c.intentions = 0) AS without_intention
FROM landed c
LEFT JOIN known k ON k.item_id = c.prompt_id
GROUP BY ALL
ORDER BY ALL;
