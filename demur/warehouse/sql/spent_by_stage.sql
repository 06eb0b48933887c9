-- Dollars that count against the caps of a round, by stage.
SELECT stage, counted_usd, unsure_usd, units FROM spending WHERE round_id = ? ORDER BY stage
