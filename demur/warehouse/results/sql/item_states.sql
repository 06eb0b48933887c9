-- One row per perturbation, control, item of an evaluation and imported item: status, difficulty and cost.
CREATE TABLE memory.main.item_states AS
WITH votes AS (
    SELECT round_id, perturbation_id, any_value(accepted) AS accepted, any_value(verifiers) AS verifiers,
        any_value(verdicts) AS verdicts, any_value(passes) AS passes
    FROM consensus GROUP BY ALL
), failed AS (
    SELECT round_id, perturbation_id, list(check_name ORDER BY check_name) AS failed_checks
    FROM live_checks WHERE outcome = 'fail' GROUP BY ALL
), refused AS (
    SELECT round_id, perturbation_id, list(verifier ORDER BY verifier) AS failed_by
    FROM counting_verdicts WHERE outcome <> 'pass' GROUP BY ALL
), answered AS (
    SELECT
        round_id, item_id, any_value(kind) AS kind, any_value(class) AS class, any_value(intensity) AS intensity,
        count(*) FILTER (is_right IS NOT NULL) AS judged, count(*) FILTER (is_right) AS rights,
        count(*) FILTER (is_right IS NOT NULL AND NOT is_rule) AS judged_of_models,
        count(*) FILTER (is_right AND NOT is_rule) AS rights_of_models
    FROM response_outcomes GROUP BY ALL
), spent AS (
    SELECT unit_id, CASE WHEN NOT bool_or(unpriced) THEN sum(counted_usd) END AS usd
    FROM call_costs WHERE unpriced OR counted_usd > 0 GROUP BY ALL
), paid AS (
    SELECT round_id, perturbation_id AS id, CASE WHEN count(*) = count(usd) THEN sum(usd) END AS cost_usd
    FROM (
        SELECT p.round_id, p.perturbation_id, s.usd FROM live_perturbations p JOIN spent s ON s.unit_id = p.unit_id
        UNION ALL
        SELECT v.round_id, v.perturbation_id, s.usd FROM live_verdicts v JOIN spent s ON s.unit_id = v.unit_id
        UNION ALL
        SELECT r.round_id, r.item_id, s.usd FROM live_responses r JOIN spent s ON s.unit_id = r.unit_id
        UNION ALL
        SELECT j.round_id, j.item_id, s.usd FROM live_judgements j JOIN spent s ON s.unit_id = j.unit_id
    )
    GROUP BY ALL
), texts AS (
    SELECT
        p.round_id, p.perturbation_id AS id, 'perturbed' AS kind, p.base_id, p.class, p.intensity, p.lever_id, p.lever,
        p.assigned_lever_id, p.generator, p.replicate, p.question, p.reason,
        lower(concat_ws(' ', p.question, array_to_string(list_transform(p.changed, lambda x: x.text), ' '))) AS searched,
        i.item_id,
        CASE
            WHEN p.status = 'declined' THEN 'declined'
            WHEN p.status = 'rejected' THEN 'rejected by check'
            WHEN list_contains(f.failed_checks, 'no_duplicate') THEN 'duplicate'
            WHEN i.item_id IS NOT NULL THEN 'sampled'
            WHEN v.accepted THEN 'accepted'
            WHEN v.verdicts >= v.verifiers AND v.verdicts > 0 THEN 'rejected by verifiers'
            ELSE 'candidate'
        END AS status,
        coalesce(f.failed_checks, []) AS failed_checks, coalesce(n.failed_by, []) AS failed_by,
        v.verdicts, v.passes
    FROM live_perturbations p
    LEFT JOIN votes v USING (round_id, perturbation_id)
    LEFT JOIN failed f USING (round_id, perturbation_id)
    LEFT JOIN refused n USING (round_id, perturbation_id)
    LEFT JOIN live_items i ON i.round_id = p.round_id AND i.perturbation_id = p.perturbation_id
    UNION ALL BY NAME
    SELECT -- controls, and all items of evaluations: their perturbations belong to the round that made the release
        i.round_id, i.item_id AS id, i.kind, i.base_id, i.class, i.intensity, i.lever_id, i.lever, i.generator, i.question,
        lower(concat_ws(' ', i.question, array_to_string(
            [x.text FOR x IN i.passages IF NOT list_contains([o.text FOR o IN b.passages], x.text)], ' '))) AS searched,
        i.item_id, CASE i.kind WHEN 'control' THEN 'control' ELSE 'sampled' END AS status,
        CAST([] AS VARCHAR[]) AS failed_checks, CAST([] AS VARCHAR[]) AS failed_by
    FROM live_items i
    ANTI JOIN live_perturbations p ON p.round_id = i.round_id AND p.perturbation_id = i.perturbation_id
    LEFT JOIN live_base_instances b ON b.round_id = i.round_id AND b.base_id = i.base_id
    UNION ALL BY NAME
    SELECT
        round_id, item_id AS id, kind, class, intensity, item_id, 'imported' AS status,
        CAST([] AS VARCHAR[]) AS failed_checks, CAST([] AS VARCHAR[]) AS failed_by
    FROM answered SEMI JOIN (SELECT round_id FROM round_origins WHERE is_imported) USING (round_id)
)
SELECT
    t.*, b.layout, b.domain, b.language, b.question AS original_question,
    coalesce(a.judged, 0) AS judged, coalesce(a.rights, 0) AS rights,
    coalesce(a.judged_of_models, 0) AS judged_of_models, coalesce(a.rights_of_models, 0) AS rights_of_models,
    CASE WHEN a.judged > 0 THEN 1 - a.rights / a.judged END AS difficulty,
    CASE WHEN a.judged > 0 THEN 4 * (a.rights / a.judged) * (1 - a.rights / a.judged) END AS disagreement,
    CASE WHEN t.verdicts > 0 THEN 4 * (t.passes / t.verdicts) * (1 - t.passes / t.verdicts) END AS verifier_disagreement,
    CASE WHEN c.id IS NULL THEN 0 ELSE c.cost_usd END AS cost_usd
FROM texts t
LEFT JOIN live_base_instances b USING (round_id, base_id)
LEFT JOIN answered a USING (round_id, item_id)
LEFT JOIN paid c USING (round_id, id)
ORDER BY t.round_id, t.class, t.intensity, t.id;
