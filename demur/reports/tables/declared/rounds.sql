-- Figures of a round, or of all rounds, the newest first.
SELECT * FROM round_summaries
WHERE true
    AND round_id = $round -- if round
ORDER BY started_at DESC, round_id;
