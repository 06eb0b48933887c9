-- Respondents and judges of a round, respondents of the rules lane, and pairs of a respondent and a judge.
SELECT
    list_sort(list(DISTINCT respondent)) AS respondents,
    coalesce(list_sort(list(DISTINCT judge) FILTER (judge IS NOT NULL)), []) AS judges,
    coalesce(list_sort(list(DISTINCT respondent) FILTER (is_rule)), []) AS rules,
    list(DISTINCT {'respondent': respondent, 'judge': judge}) FILTER (judge IS NOT NULL) AS judgings
FROM response_outcomes WHERE round_id = $round;
