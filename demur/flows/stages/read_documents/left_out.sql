-- Numbers of documents by the reason for leaving them out; the reason of documents that were read is null.
SELECT reason, count(*) AS documents FROM live_documents WHERE round_id = $1 GROUP BY 1 ORDER BY documents DESC, reason;
