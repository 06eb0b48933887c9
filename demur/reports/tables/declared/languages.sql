-- From units asked to items, by language, where a round has more than one.
SELECT language, bases, asked, declined, rejected, candidates, accepted, acceptance, items
FROM yield_by_language
WHERE round_id = $round
QUALIFY count(*) OVER () > 1
ORDER BY language;
