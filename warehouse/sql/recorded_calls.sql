-- The replies of language models to the units of a plan, in the order in which each unit was given them. A unit that
-- failed because its replies could not be read was asked afresh, as `known_calls` has it: only what came then counts.
-- A perturbation that was repaired is not planned any more: the unit in its place has its inputs, and names it.
WITH plan AS (
    SELECT unit_id, ordinal, payload FROM read_parquet($1)
    UNION ALL
    SELECT
        payload::JSON ->> '$.repair_of', ordinal,
        json_merge_patch(payload::JSON, '{"repair": null, "repaired": null, "repair_of": null, "faults": null}')::VARCHAR
    FROM read_parquet($1) WHERE payload::JSON ->> '$.repair' = '1'
)
SELECT
    plan.payload, calls.unit_id, calls.role, calls.model, calls.provider_model, calls.program AS task,
    grades.proposition, calls.request_digest, calls.reply, calls.finish_reason, calls.input_tokens,
    calls.output_tokens, calls.cached_tokens, calls.reasoning_tokens, calls.logprobs, calls.started_at
FROM calls
JOIN plan USING (unit_id)
LEFT JOIN grades ON grades.call_id = calls.call_id AND calls.program = 'AskProposition'
ANTI JOIN failures
    ON failures.unit_id = calls.unit_id
    AND failures.stage = calls.stage
    AND failures.reason = 'unreadable'
    AND failures.failed_at >= calls.started_at
WHERE calls.stage = $2 AND calls.status = 'ok' AND calls.provider <> 'rules' AND calls.role <> 'probe'
ORDER BY plan.ordinal, calls.unit_id, calls.started_at, calls.attempt, calls.call_id;
