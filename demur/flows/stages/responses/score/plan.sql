-- Every response that was judged, and every response or judgement that could not be obtained, which is INVALID. What was
-- not asked yet is left out. With $2, respondents are limited to that list; with $3, judges are. `language` is null if all items have the same language.
SELECT
    w.judge, w.respondent AS model, replicates.replicate, i.item_id, i.base_id AS source_id, i.kind,
    i.class, i.intensity, i.expected, i.lever_id, i.generator, r.layout, b.domain,
    CASE
        WHEN min(coalesce(i.language, 'unsure')) OVER () <> max(coalesce(i.language, 'unsure')) OVER ()
            THEN coalesce(i.language, 'unsure')
    END AS language,
    coalesce(j.predicted, 'INVALID') AS predicted, j.judged_by, j.quality AS grade, j.correct, j.eligible,
    j.supported_all, j.supported_relevant, a.confidence, j.reaction, coalesce(a.refused_by_provider, false) AS refused_by_provider,
    n.base_id IS NOT NULL AS in_pair,
    CASE WHEN i.is_known THEN 'known' WHEN NOT i.is_known THEN 'unknown' END AS memory
FROM rounds r
JOIN judgings w ON w.round_id = r.round_id
CROSS JOIN unnest(range(CAST(r.config ->> '$.response_replicates' AS BIGINT))) AS replicates(replicate)
JOIN live_items i ON i.round_id = r.round_id
LEFT JOIN live_base_instances b ON b.round_id = i.round_id AND b.base_id = i.base_id
LEFT JOIN near_pairs n ON n.round_id = i.round_id AND i.item_id IN (n.item_id, n.control_id)
LEFT JOIN live_responses a
    ON a.round_id = r.round_id AND a.item_id = i.item_id AND a.respondent = w.respondent
    AND a.replicate = replicates.replicate
LEFT JOIN live_judgements j
    ON j.round_id = r.round_id AND j.response_id = a.response_id AND j.judge = w.judge
LEFT JOIN failed_responses f
    ON f.round_id = r.round_id AND f.item_id = i.item_id AND f.respondent = w.respondent AND f.replicate = replicates.replicate
LEFT JOIN failed_judgements g ON g.round_id = r.round_id AND g.response_id = a.response_id AND g.judge = w.judge
WHERE r.round_id = $1
    AND coalesce(j.response_id, f.item_id, g.response_id) IS NOT NULL
    AND coalesce(list_contains(CAST($2 AS VARCHAR[]), w.respondent), true)
    AND coalesce(list_contains(CAST($3 AS VARCHAR[]), w.judge), true)
ORDER BY w.judge, w.respondent, i.item_id, replicates.replicate;
