-- Documents of a round by the reason why they were left out; null for those that were read.
SELECT reason, count(*) AS documents FROM live_documents WHERE round_id = $1 GROUP BY 1 ORDER BY documents DESC, reason;
