DELETE FROM audits WHERE round_id = ? AND reader = ? AND seed = ?;
