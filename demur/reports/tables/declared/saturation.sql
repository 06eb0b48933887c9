SELECT * EXCLUDE (round_id) FROM saturation WHERE round_id = $round
ORDER BY judge, class, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
