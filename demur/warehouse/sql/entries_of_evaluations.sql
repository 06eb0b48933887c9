-- The respondents of some evaluations on a board, the older evaluations of one among them.
SELECT round_id, respondent, judge, state
FROM board_entries
WHERE board_id = $1 AND list_contains($2, round_id) AND responses > 0
ORDER BY respondent, round_id;
