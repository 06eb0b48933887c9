-- The row of a round if it is finished.
SELECT finished_at FROM rounds WHERE round_id = ? AND status = 'finished'
