-- Numbers of documents by the reason for leaving them out; it is null if nothing was left out.
SELECT status, coalesce(reason, CASE WHEN detail IS NOT NULL THEN 'in part' END) AS reason, count(*) AS documents
FROM live_documents WHERE round_id = $1 GROUP BY ALL ORDER BY documents DESC, reason;
