-- Accepted questions of a round, and accepted questions of earlier rounds whose passage texts this round has read too.
-- `shown` lists the passages of the base instance in order.
WITH here AS (
    SELECT DISTINCT digest FROM live_passages WHERE round_id = $1
), usable AS (
    SELECT a.* FROM accepted_questions a
    JOIN rounds r USING (round_id)
    WHERE a.round_id = $1 OR r.started_at < (SELECT started_at FROM rounds WHERE round_id = $1) AND NOT EXISTS (
        SELECT 1 FROM live_passages p
        WHERE p.round_id = a.round_id AND list_contains(a.passage_ids, p.passage_id)
            AND p.digest NOT IN (SELECT digest FROM here)
    )
)
SELECT
    u.question_id, u.round_id = $1 AS is_own, u.question, u.answers, u.kind, u.passage_ids, u.document_ids, u.proof,
    u.language, u.readers, u.is_mended, list({
        passage_id: p.passage_id, document_id: p.document_id, digest: p.digest, headings: p.title, "text": p.text,
        document: d.title, date: coalesce(p.date, d.date), "language": p.language
    } ORDER BY s.place) AS shown
FROM (SELECT round_id, question_id, unnest(shown_ids) AS passage_id, generate_subscripts(shown_ids, 1) AS place FROM usable) s
JOIN usable u USING (round_id, question_id)
JOIN live_passages p USING (round_id, passage_id)
JOIN live_documents d ON d.round_id = p.round_id AND d.document_id = p.document_id
GROUP BY ALL
ORDER BY u.question_id;
