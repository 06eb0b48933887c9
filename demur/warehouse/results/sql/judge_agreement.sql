-- Numbers of responses that two judges classified, and classified alike, with Cohen's kappa. As in `judge_agreements`,
-- controls are left out, and responses that are exactly one code, about which no judge was asked.
WITH pairs AS (
    SELECT a.predicted AS first, b.predicted AS second
    FROM response_outcomes a
    JOIN response_outcomes b ON b.round_id = a.round_id AND b.response_id = a.response_id AND b.judge = $b
    WHERE a.round_id = $round AND a.judge = $a AND a.kind = 'perturbed'
        AND coalesce(a.judged_by, 'judge') = 'judge' AND coalesce(b.judged_by, 'judge') = 'judge'
), counted AS (
    SELECT count(*) AS responses, count(*) FILTER (first = second) AS alike FROM pairs
), chance AS (
    SELECT sum(f.share * s.share) AS expected
    FROM (SELECT first AS code, count(*) / sum(count(*)) OVER () AS share FROM pairs GROUP BY ALL) f
    JOIN (SELECT second AS code, count(*) / sum(count(*)) OVER () AS share FROM pairs GROUP BY ALL) s USING (code)
)
SELECT
    c.responses, c.alike, c.alike / nullif(c.responses, 0) AS share_alike,
    (c.alike / nullif(c.responses, 0) - coalesce(h.expected, 0)) / nullif(1 - coalesce(h.expected, 0), 0) AS kappa
FROM counted c, chance h;
