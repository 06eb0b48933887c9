-- The base instances of a round with their perturbations that fail no other code check. `released_as` is the oldest
-- release from before the round that has an item with the same question and passages.
WITH released AS (
    SELECT i.content_key, arg_min(l.name || '/' || l.version, (l.created_at, l.name, l.version)) AS release
    FROM released_items i
    JOIN releases l USING (name, version)
    JOIN rounds r ON r.round_id = $1
    WHERE l.created_at < r.started_at
    GROUP BY i.content_key
)
SELECT
    b.base_id, b.question, b.answers, b.passages, b.language,
    list(struct_pack(
        perturbation_id := p.perturbation_id, class := p.class, intensity := p.intensity, lever := p.lever,
        question := p.question, changed := p.changed, content_key := p.content_key, released_as := released.release
    ) ORDER BY p.perturbation_id) AS made
FROM live_perturbations p
JOIN round_bases b USING (round_id, base_id)
LEFT JOIN released USING (content_key)
WHERE p.round_id = $1 AND p.status = 'candidate'
GROUP BY b.base_id, b.question, b.answers, b.passages, b.language, b.draw
ORDER BY b.draw;
