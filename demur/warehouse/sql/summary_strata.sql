SELECT class, intensity, asked, candidates, accepted, items, shortfall FROM yield_by_stratum WHERE round_id = ?;
