-- Items, acceptance and difficulty by stratum in two rounds.
WITH hard AS (
    SELECT round_id, class, intensity, avg(difficulty) AS difficulty FROM item_states
    WHERE round_id IN ($a, $b) AND status = 'sampled' GROUP BY ALL
)
SELECT
    y.class, y.intensity,
    any_value(y.items) FILTER (y.round_id = $a) AS first_items, any_value(y.items) FILTER (y.round_id = $b) AS second_items,
    any_value(y.acceptance) FILTER (y.round_id = $a) AS first_acceptance,
    any_value(y.acceptance) FILTER (y.round_id = $b) AS second_acceptance,
    any_value(h.difficulty) FILTER (y.round_id = $a) AS first_difficulty,
    any_value(h.difficulty) FILTER (y.round_id = $b) AS second_difficulty
FROM yield_by_stratum y
LEFT JOIN hard h USING (round_id, class, intensity)
WHERE y.round_id IN ($a, $b)
GROUP BY y.class, y.intensity
ORDER BY y.class, CASE y.intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
