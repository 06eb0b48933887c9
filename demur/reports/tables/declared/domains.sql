SELECT domain, judge, items, responses, difficulty, low, high, reason
FROM domain_difficulty WHERE round_id = $round
ORDER BY judge, difficulty DESC NULLS LAST, domain;
