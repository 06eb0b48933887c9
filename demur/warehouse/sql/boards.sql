-- Boards by release, those with the most respondents first. Either all boards, or the boards of a release, or the
-- boards with one of these evaluations.
SELECT * FROM boards
WHERE ($1::VARCHAR IS NULL OR release = $1 OR split_part(release, '/', 1) = $1)
    AND ($2::VARCHAR[] IS NULL OR board_id IN (SELECT board_id FROM evaluation_boards WHERE list_contains($2, round_id)))
ORDER BY release, respondents DESC, evaluated_at DESC, board_id;
