SELECT
    stage, role, model, estimated_units, units, estimated_calls, calls, estimated_input_tokens, input_tokens,
    estimated_output_tokens, output_tokens, round(estimated_usd, 6) AS estimated_usd, round(counted_usd, 6) AS counted_usd,
    ratio
FROM estimates_against_actuals
WHERE round_id = $round;
