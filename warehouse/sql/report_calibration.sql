SELECT * EXCLUDE (round_id, gap) FROM calibration_bins WHERE round_id = ? ORDER BY judge, respondent, part, midpoint DESC;
