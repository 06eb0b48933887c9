-- The replies of language models to the units of a plan, in the order of the plan; replies to one unit in order of
-- time. Calls from before an `unreadable` failure of their unit are left out, as in `known_calls`. A repaired
-- perturbation is no longer planned. The planned unit of its repair has the same inputs and the id of the repaired
-- perturbation, which may itself be a repair. `plan` therefore adds the units of all earlier attempts. Verdicts on
-- repaired perturbations are no longer planned either; `asked` adds their units.
WITH RECURSIVE plan AS (
    SELECT unit_id, ordinal, payload::JSON AS payload FROM read_parquet($1)
    UNION ALL
    SELECT
        repaired.unit_id, plan.ordinal,
        json_merge_patch(plan.payload, json_object(
            'repair', nullif(CAST(plan.payload ->> '$.repair' AS BIGINT) - 1, 0),
            'repaired', CASE WHEN earlier.perturbation_id IS NOT NULL THEN json_object(
                'lever', coalesce(earlier.lever, ''), 'question', coalesce(earlier.question, ''),
                'changed', earlier.changed
            ) END,
            'repair_of', repaired.repair_of,
            'faults', NULL
        ))
    FROM plan
    JOIN (SELECT DISTINCT unit_id, perturbation_id, repair_of FROM perturbations WHERE round_id = $3) repaired
        ON repaired.perturbation_id = plan.payload ->> '$.repair_of'
    LEFT JOIN (SELECT DISTINCT perturbation_id, lever, question, changed FROM perturbations WHERE round_id = $3) earlier
        ON earlier.perturbation_id = repaired.repair_of
), asked AS (
    SELECT unit_id, ordinal, payload FROM plan
    UNION ALL
    SELECT DISTINCT ON (v.unit_id)
        v.unit_id, -1, json_object(
            'question', b.question, 'answers', b.answers,
            'passages', list_transform(
                b.passages, lambda p: {'index': p.index, 'text': p.text, 'relevant': p.relevant}
            ),
            'class', p.class, 'intensity', p.intensity, 'lever_id', p.lever_id,
            'perturbed_question', p.question, 'changed', p.changed, 'verifier', v.verifier
        )
    FROM verdicts v
    JOIN perturbations p USING (round_id, perturbation_id)
    JOIN round_bases b USING (round_id, base_id)
    WHERE $2 = 'verify' AND v.round_id = $3
        AND EXISTS (SELECT 1 FROM perturbations r WHERE r.round_id = $3 AND r.repair_of = p.perturbation_id)
        AND v.unit_id NOT IN (SELECT unit_id FROM plan)
)
SELECT
    asked.payload::VARCHAR AS payload, calls.unit_id, calls.role, calls.model, calls.provider_model, calls.program AS task,
    grades.proposition, calls.request_digest, calls.reply, calls.finish_reason, calls.input_tokens,
    calls.output_tokens, calls.cached_tokens, calls.reasoning_tokens, calls.logprobs, calls.reasoning,
    calls.started_at
FROM calls
JOIN asked USING (unit_id)
LEFT JOIN grades ON grades.call_id = calls.call_id AND calls.program = 'AskProposition'
ANTI JOIN failures
    ON failures.unit_id = calls.unit_id
    AND failures.stage = calls.stage
    AND failures.reason = 'unreadable'
    AND failures.failed_at >= calls.started_at
WHERE calls.stage = $2 AND calls.status = 'ok' AND calls.provider <> 'rules' AND calls.role <> 'probe'
ORDER BY asked.ordinal, calls.unit_id, calls.started_at, calls.attempt, calls.call_id;
