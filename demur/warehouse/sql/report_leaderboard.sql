SELECT * EXCLUDE (round_id) FROM leaderboard WHERE round_id = ?;
