-- Signal passages of the base instances of other rounds: digests of their texts and of their documents.
SELECT DISTINCT p.digest, d.digest AS document_digest
FROM (SELECT round_id, unnest(passage_ids) AS passage_id, unnest(passages).relevant AS is_asked
      FROM live_base_instances WHERE round_id <> $1 AND passage_ids IS NOT NULL) b
JOIN live_passages p USING (passage_id)
JOIN live_documents d ON d.round_id = p.round_id AND d.document_id = p.document_id
WHERE b.is_asked;
