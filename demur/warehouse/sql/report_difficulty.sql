SELECT 'lever' AS factor, judge, lever_id AS factor_value, items, responses, difficulty, low, high, reason
FROM lever_difficulty WHERE round_id = $1
UNION ALL BY NAME
SELECT 'domain' AS factor, judge, domain AS factor_value, items, responses, difficulty, low, high, reason
FROM domain_difficulty WHERE round_id = $1
ORDER BY factor, judge, difficulty DESC NULLS LAST, factor_value;
