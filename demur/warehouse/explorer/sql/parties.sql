-- Respondents and judges of a round, as its responses name them; which of the respondents are fixed rules; who judged whom.
SELECT
    list_sort(list(DISTINCT respondent)) AS respondents,
    coalesce(list_sort(list(DISTINCT judge) FILTER (judge IS NOT NULL)), []) AS judges,
    coalesce(list_sort(list(DISTINCT respondent) FILTER (is_rule)), []) AS rules,
    list(DISTINCT {'respondent': respondent, 'judge': judge}) FILTER (judge IS NOT NULL) AS judgings
FROM response_outcomes WHERE round_id = $round;
