-- What the plan made at the start expected beside what was asked and counted; rounds without estimates have no rows.
SELECT
    stage, model, estimated_calls, calls, round(estimated_usd, 2) AS estimated_usd, round(counted_usd, 2) AS actual_usd
FROM estimates_against_actuals
WHERE round_id = ? AND (estimated_output_tokens IS NOT NULL OR counted_usd > 0);
