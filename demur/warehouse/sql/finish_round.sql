UPDATE rounds SET status = 'finished', finished_at = ? WHERE round_id = ?;
