-- The passages of a round, one for each different text.
SELECT
    p.passage_id, p.document_id, p.digest, p.title AS headings, p.text, d.title AS document,
    coalesce(p.date, d.date) AS date, p.language, d.digest AS document_digest
FROM live_passages p
JOIN live_documents d USING (round_id, document_id)
WHERE p.round_id = $1
QUALIFY row_number() OVER (PARTITION BY p.digest ORDER BY p.passage_id) = 1
ORDER BY p.passage_id;
