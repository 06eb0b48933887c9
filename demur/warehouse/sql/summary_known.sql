SELECT
    respondent, judge, class, known_n AS "responses, known", known AS "missed, known",
    format('{:.3f} to {:.3f}', known_low, known_high) AS "95 % interval",
    unknown_n AS "responses, unknown", "unknown" AS "missed, unknown"
FROM known_scores WHERE round_id = ?;
