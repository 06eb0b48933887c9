WITH here AS (
    SELECT p.document_id, p.digest FROM live_passages p WHERE p.round_id = $round
), of_questions AS (
    SELECT p.digest, count(DISTINCT (q.round_id, q.question_id)) FILTER (q.outcome <> 'declined') AS questions,
        count(DISTINCT (q.round_id, q.question_id)) FILTER (q.outcome = 'accepted') AS accepted
    FROM (SELECT round_id, question_id, outcome, unnest(passage_ids) AS passage_id FROM question_outcomes) q
    JOIN live_passages p USING (round_id, passage_id)
    GROUP BY ALL
), of_bases AS (
    SELECT p.digest, count(DISTINCT b.base_id) AS used
    FROM (
        SELECT base_id, unnest(passage_ids) AS passage_id, unnest(passages).relevant AS is_asked
        FROM live_base_instances WHERE passage_ids IS NOT NULL
    ) b
    JOIN (SELECT DISTINCT passage_id, digest FROM live_passages) p USING (passage_id)
    WHERE b.is_asked
    GROUP BY ALL
), of_documents AS (
    SELECT h.document_id, count(q.digest) AS asked, coalesce(sum(q.questions), 0)::BIGINT AS questions,
        coalesce(sum(q.accepted), 0)::BIGINT AS accepted, coalesce(sum(b.used), 0)::BIGINT AS used,
        count(*) FILTER (b.digest IS NULL) AS "left"
    FROM here h
    LEFT JOIN of_questions q USING (digest)
    LEFT JOIN of_bases b USING (digest)
    GROUP BY ALL
)
SELECT
    d.path, d.row, d.status, d.passages, coalesce(o.asked, 0) AS asked, coalesce(o.questions, 0) AS questions,
    coalesce(o.accepted, 0) AS accepted, coalesce(o.used, 0) AS used, coalesce(o."left", 0) AS "left",
    CASE WHEN d.status = 'read' AND d.detail IS NOT NULL THEN 'in part' ELSE d.reason END AS reason, d.detail
FROM live_documents d
LEFT JOIN of_documents o USING (document_id)
WHERE d.round_id = $round
ORDER BY d.path, d.row;
