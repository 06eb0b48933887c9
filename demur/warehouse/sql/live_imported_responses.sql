SELECT * FROM live_imported_responses WHERE round_id = ? ORDER BY response_id;
