-- Rounds in figures, the newest first: the one named, or all.
SELECT * FROM round_summaries
WHERE true
    AND round_id = $round -- if round
ORDER BY started_at DESC, round_id;
