-- The entries of these evaluations on a board, including older evaluations of a respondent.
SELECT round_id, respondent, judge, state
FROM board_entries
WHERE board_id = $1 AND list_contains($2, round_id) AND responses > 0
ORDER BY respondent, round_id;
