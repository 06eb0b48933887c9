-- All responses that an evaluation wants from one respondent, with the judgements of one judge. A response or
-- judgement that could not be obtained is INVALID. What was not asked yet is left out.
SELECT
    replicates.replicate, i.item_id, i.base_id AS source_id, i.kind, i.class, i.intensity, i.expected, i.lever_id, r.layout,
    b.domain,
    CASE
        WHEN min(coalesce(i.language, 'unsure')) OVER () <> max(coalesce(i.language, 'unsure')) OVER ()
            THEN coalesce(i.language, 'unsure')
    END AS language,
    coalesce(j.predicted, 'INVALID') AS predicted, j.quality, j.correct, j.eligible, j.supported_all, j.supported_relevant, a.confidence, j.reaction
FROM rounds r
CROSS JOIN unnest(range(CAST(r.config ->> '$.response_replicates' AS BIGINT))) AS replicates(replicate)
JOIN live_items i ON i.round_id = r.round_id
LEFT JOIN live_base_instances b ON b.round_id = i.round_id AND b.base_id = i.base_id
LEFT JOIN live_responses a
    ON a.round_id = r.round_id AND a.item_id = i.item_id AND a.respondent = $2 AND a.replicate = replicates.replicate
LEFT JOIN live_judgements j ON j.round_id = r.round_id AND j.response_id = a.response_id AND j.judge = $3
LEFT JOIN failed_responses f
    ON f.round_id = r.round_id AND f.item_id = i.item_id AND f.respondent = $2 AND f.replicate = replicates.replicate
LEFT JOIN failed_judgements g ON g.round_id = r.round_id AND g.response_id = a.response_id AND g.judge = $3
WHERE r.round_id = $1
    AND coalesce(j.response_id, f.item_id, g.response_id) IS NOT NULL
ORDER BY i.item_id, replicates.replicate;
