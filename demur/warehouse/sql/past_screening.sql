-- Numbers of base instances that these screeners were asked in other rounds, and that all of them answered correctly.
SELECT count(DISTINCT (s.round_id, s.base_id)) AS screened, count(DISTINCT (b.round_id, b.base_id)) AS solved
FROM live_screenings s
JOIN rounds r USING (round_id)
LEFT JOIN solved_bases b USING (round_id, base_id)
WHERE s.round_id <> ? AND r.screeners = ?::VARCHAR[];
