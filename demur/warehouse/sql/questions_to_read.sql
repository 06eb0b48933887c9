-- Accepted questions of documents, and those that people dropped or mended, with the passages that they are about. `answers`
-- are those of the asker, or of the file of questions.
SELECT
    o.question_id, o.question, q.answers, o.kind, o.asker, o.proof, o.readers,
    (SELECT list({
        document: d.title, path: d.path, headings: g.title, "text": g.text, page: g.page, date: g.date
    } ORDER BY list_position(o.passage_ids, g.passage_id))
    FROM live_passages g JOIN live_documents d USING (round_id, document_id)
    WHERE g.round_id = o.round_id AND list_contains(o.passage_ids, g.passage_id)) AS passages
FROM question_outcomes o
JOIN live_questions q USING (round_id, question_id)
WHERE o.round_id = ? AND (o.outcome = 'accepted' OR o.by_whom = 'people')
ORDER BY o.question_id;
