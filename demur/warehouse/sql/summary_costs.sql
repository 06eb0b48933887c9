-- What the plan made at the start expected beside what was asked and counted, probes included; rounds without estimates
-- have no rows.
SELECT
    stage, model, sum(estimated_calls)::BIGINT AS estimated_calls, sum(calls)::BIGINT AS calls,
    round(sum(estimated_usd), 2) AS estimated_usd, round(sum(counted_usd), 2) AS actual_usd
FROM estimates_against_actuals
WHERE round_id = ?
GROUP BY stage, model
HAVING sum(estimated_output_tokens) IS NOT NULL OR sum(counted_usd) > 0
ORDER BY list_position([${every_stage}], stage), model;
