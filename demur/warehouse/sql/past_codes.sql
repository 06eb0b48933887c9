-- Judgements of these respondents in rounds other than this one, and those that needed no judge, since the response was
-- exactly one refusal code.
SELECT count(*) AS judged, count(*) FILTER (judged_by = 'code') AS by_code
FROM live_judgements
WHERE round_id <> $1 AND list_contains($2, respondent) AND judged_by IS NOT NULL;
