SELECT
    b.base_id, b.question, b.answers, b.passages, b.language, k.is_known, b.documents, b.passage_ids, b.question_kind,
    list_transform(b.proof, lambda span: span.text) AS proof
FROM round_bases b
LEFT JOIN known_bases k USING (round_id, base_id)
WHERE b.round_id = ?;
