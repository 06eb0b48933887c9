-- The outcome of each unit of verification in a round: that of its first readable verdict, or 'missing'.
SELECT unit_id, stamp, coalesce(arg_min(outcome, attempt) FILTER (outcome <> 'missing'), 'missing') AS outcome
FROM verdicts WHERE round_id = ?
GROUP BY unit_id, stamp;
