-- Questions of documents in the order of asking: one page, or all.
SELECT
    o.question_id, o.unit_id, o.question, o.answers, o.kind, o.language, o.outcome, o.by_whom, o.reason, o.naturalness,
    o.proof, q.faults, q.repairs, p.answer AS prover_answer, p.other_answers, p.understanding, p.reading, p.duplicate_of,
    p.unit_id AS proof_unit_id,
    (SELECT list({
        document: d.title, path: d.path, headings: g.title, "text": g.text, page: g.page, date: g.date, url: d.url
    } ORDER BY list_position(o.passage_ids, g.passage_id))
    FROM live_passages g JOIN live_documents d USING (round_id, document_id)
    WHERE g.round_id = o.round_id AND list_contains(o.passage_ids, g.passage_id)) AS passages,
    (SELECT any_value(i.item_id) FROM live_base_instances b JOIN live_items i USING (round_id, base_id)
    WHERE b.round_id = o.round_id AND b.source_id = o.question_id AND i.kind = 'control') AS control_id
FROM question_outcomes o
JOIN live_questions q ON q.round_id = o.round_id AND q.question_id = o.question_id
LEFT JOIN live_proofs p ON p.round_id = o.round_id AND p.question_id = o.question_id AND p.given = 'all'
-- include questions_where
ORDER BY o.turn, o.unit_id, o.number
LIMIT $limit OFFSET $offset -- if limit
