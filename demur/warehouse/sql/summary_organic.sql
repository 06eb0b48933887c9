SELECT
    respondent, judge, kind, n AS responses, refusal_accuracy AS refusals,
    format('{:.3f} to {:.3f}', low, high) AS "95 % interval", planted
FROM organic_scores WHERE round_id = ?;
