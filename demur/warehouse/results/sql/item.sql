-- One perturbation or control beside its base instance.
SELECT
    s.* EXCLUDE (searched, original_question),
    EXISTS (
        FROM levers_on_offer l
        WHERE l.round_id = $round AND l.lever_id = coalesce(s.lever_id, s.assigned_lever_id)
    ) AS has_lever_page,
    b.question AS original_question, b.answers, b.title, b.source_id,
    b.passages AS original_passages,
    p.changed, p.reasoning, p.answer_constraint, p.unit_id,
    b.documents, b.proof, b.question_kind,
    (SELECT list({title: d.title, path: d.path, id: d.document_id} ORDER BY d.path) FROM live_documents d
    WHERE d.round_id = $round AND list_contains(b.documents, d.document_id)) AS sources,
    p.repair, p.repair_of, i.expected, i.passages AS item_passages
FROM item_states s
LEFT JOIN live_base_instances b ON b.round_id = s.round_id AND b.base_id = s.base_id
LEFT JOIN live_perturbations p ON p.round_id = s.round_id AND p.perturbation_id = s.id
LEFT JOIN live_items i ON i.round_id = s.round_id AND i.item_id = s.id
WHERE s.round_id = $round AND s.id = $id;
