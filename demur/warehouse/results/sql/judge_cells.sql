-- Numbers of responses, by the classifications of two judges.
SELECT a.predicted AS first, b.predicted AS second, count(*) AS responses
FROM response_outcomes a
JOIN response_outcomes b ON b.round_id = a.round_id AND b.response_id = a.response_id AND b.judge = $b
WHERE a.round_id = $round AND a.judge = $a
GROUP BY ALL
ORDER BY responses DESC, first, second;
