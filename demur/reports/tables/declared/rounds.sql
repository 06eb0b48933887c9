-- Rounds in figures, the newest first: the one named, or all.
SELECT * FROM warehouse.summaries.rounds
WHERE true
    AND round_id = $round -- if round
ORDER BY started_at DESC, round_id;
