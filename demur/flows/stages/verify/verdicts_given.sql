-- What each unit of verification came to in a round: its first verdict that could be read, or that there is none.
SELECT unit_id, coalesce(arg_min(outcome, attempt) FILTER (outcome <> 'missing'), 'missing') AS outcome
FROM verdicts WHERE round_id = ?
GROUP BY unit_id;
