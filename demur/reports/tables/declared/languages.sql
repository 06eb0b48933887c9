-- Numbers of perturbations from request to item, by language; no rows if a round has one language.
SELECT language, bases, asked, declined, rejected, candidates, accepted, acceptance, items
FROM yield_by_language
WHERE round_id = $round
QUALIFY count(*) OVER () > 1
ORDER BY language;
