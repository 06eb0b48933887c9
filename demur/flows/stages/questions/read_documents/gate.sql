-- Expectations of the stage read_documents for documents and their passages.

-- nothing_read: documents
-- At least one document of the round was read.
SELECT round_id, count(*) AS documents
FROM live_documents
WHERE round_id = $round_id
GROUP BY ALL
HAVING count(*) FILTER (WHERE status = 'read') = 0;

-- passages_uncounted: passages
-- Every document has the number of passages that its row gives.
SELECT d.document_id, d.passages, count(p.passage_id) AS landed
FROM live_documents d
LEFT JOIN live_passages p USING (round_id, document_id)
WHERE d.round_id = $round_id
GROUP BY ALL
HAVING d.passages <> count(p.passage_id);

-- passages_without_text: text
-- Every passage has text.
SELECT unit_id, passage_id
FROM live_passages
WHERE round_id = $round_id AND trim(text) = '';
