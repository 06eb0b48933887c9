-- The base instances that are perturbed, each with the passages that its question came with.
SELECT
    base_id, question, answers, draw,
    list_filter(passages, lambda p: own_passages IS NULL OR list_contains(own_passages, p.index)) AS passages
FROM round_bases WHERE round_id = ? ORDER BY draw;
