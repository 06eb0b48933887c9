-- What counts against a round's caps, by stage.
SELECT stage, counted_usd, unsure_usd, units FROM spending WHERE round_id = ? ORDER BY stage
