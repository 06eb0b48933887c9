SELECT b.domain, count(*) AS solved, count(*) FILTER (k.is_known) AS known
FROM solved_bases b
LEFT JOIN known_bases k USING (round_id, base_id)
WHERE b.round_id = ?
GROUP BY b.domain;
