SELECT count(*) AS solved FROM solved_bases WHERE round_id = ?;
