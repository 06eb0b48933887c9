-- Respondents and judges of a round, as its responses name them.
SELECT
    list_sort(list(DISTINCT respondent)) AS respondents,
    coalesce(list_sort(list(DISTINCT judge) FILTER (judge IS NOT NULL)), []) AS judges
FROM response_outcomes WHERE round_id = $round;
