-- Questions about each document of a round; the 40 documents with most passages asked about.
SELECT path, title, asked, gave_one, questions, rejected_by_checks, rejected_by_prover, accepted
FROM asking_by_document
WHERE round_id = $round
ORDER BY asked DESC, path
LIMIT 40;
