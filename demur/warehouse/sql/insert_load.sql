INSERT INTO loads (landing, round_id, stage, rows, loaded_at)
VALUES ($landing, $round_id, $stage, $rows, current_timestamp AT TIME ZONE 'UTC')
