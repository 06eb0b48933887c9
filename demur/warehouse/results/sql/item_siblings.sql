-- Other perturbations of the same base instance, and its control.
SELECT
    id, kind, class, intensity, lever, generator, status, coalesce(question, original_question) AS question, difficulty,
    EXISTS (
        FROM near_pairs n WHERE n.round_id = $round AND (n.control_id, n.item_id) IN ((id, $id), ($id, id))
    ) AS is_near_pair
FROM item_states
WHERE round_id = $round AND base_id = $base AND id <> $id
ORDER BY kind, class, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END, generator, id
LIMIT 100;
