-- The items of a round: first the published fields of RefusalBench, then ours. All other columns of `items` follow
-- unchanged, so that new columns are released too.
SELECT
    i.item_id AS id,
    b.source_id,
    i.generator AS generator_model,
    i.class AS perturbation_class,
    i.intensity,
    i.expected AS expected_rag_behavior,
    i.lever AS lever_selected,
    b.question AS original_query,
    CASE WHEN b.layout = 'single' THEN b.passages[1].text END AS original_context,
    i.answers AS original_answers,
    i.question AS perturbed_query,
    CASE WHEN b.layout = 'single' THEN i.passages[1].text END AS perturbed_context,
    p.reasoning AS implementation_reasoning,
    coalesce(v.votes, []) AS verifier_votes,
    list_transform(b.passages, lambda x: x.text) AS original_grounding,
    list_transform(i.passages, lambda x: x.text) AS grounding,
    list_transform(list_filter(i.passages, lambda x: x.relevant), lambda x: x."index") AS signal_indices,
    list_transform(list_filter(i.passages, lambda x: NOT x.relevant), lambda x: x."index") AS noise_indices,
    i.kind,
    i.base_id,
    i.lever_id,
    b.layout,
    b.domain,
    b.title,
    b.language_confidence,
    i.* EXCLUDE (
        round_id, unit_id, item_id, kind, base_id, perturbation_id, class, intensity, lever_id, lever, generator,
        expected, question, answers, passages
    )
FROM live_items i
JOIN live_base_instances b USING (round_id, base_id)
LEFT JOIN live_perturbations p USING (round_id, perturbation_id)
LEFT JOIN (
    SELECT round_id, perturbation_id, list({verifier: verifier, vote: upper(outcome)} ORDER BY verifier) AS votes
    FROM counting_verdicts GROUP BY ALL
) v USING (round_id, perturbation_id)
WHERE i.round_id = ?
ORDER BY id;
