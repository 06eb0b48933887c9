SELECT judge, judgements, by_code, by_code / judgements AS share, round(saved_usd, 6) AS saved_usd
FROM judge_savings
WHERE round_id = $round
ORDER BY judge;
