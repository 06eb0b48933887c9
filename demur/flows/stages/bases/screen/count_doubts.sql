SELECT doubt, count(DISTINCT base_id) AS bases FROM live_screenings WHERE round_id = ? AND doubt IS NOT NULL GROUP BY doubt ORDER BY doubt;
