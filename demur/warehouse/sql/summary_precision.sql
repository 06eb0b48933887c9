SELECT
    respondent, judge, round(100 * share_right, 1) AS "right, %", round(100 * half_width, 1) AS "bound, +-",
    round(100 * bootstrap_half_width, 1) AS "bootstrap, +-", sources AS "source questions", items,
    round(design_effect, 2) AS "design effect"
FROM round_precision WHERE round_id = ?
ORDER BY respondent, judge;
