-- Agreement of readers. As in a release's audits.jsonl, readers have numbers in place of names.
WITH readers AS (
    SELECT reader, 'reader ' || row_number() OVER (ORDER BY reader) AS numbered
    FROM (SELECT DISTINCT reader FROM live_audits WHERE round_id = $round)
)
SELECT a.criterion, a.coefficient, f.numbered AS first, s.numbered AS second, a.items, a.observed, a.value, a.reason
FROM audit_agreement a
LEFT JOIN readers f ON f.reader = a.first
LEFT JOIN readers s ON s.reader = a.second
WHERE a.round_id = $round
ORDER BY a.criterion = 'overall' DESC, a.criterion, a.coefficient, a.first, a.second;
