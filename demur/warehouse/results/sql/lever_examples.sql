-- Three perturbations of a lever: sampled ones first, then accepted ones, the hardest first.
SELECT s.id, s.status, s.question, s.original_question, s.difficulty, s.reason, s.generator, p.changed, b.passages
FROM item_states s
JOIN live_perturbations p ON p.round_id = s.round_id AND p.perturbation_id = s.id
JOIN live_base_instances b ON b.round_id = s.round_id AND b.base_id = s.base_id
WHERE s.round_id = $round AND s.lever_id = $lever
ORDER BY s.status <> 'sampled', s.status <> 'accepted', s.difficulty DESC NULLS LAST, s.id
LIMIT 3;
