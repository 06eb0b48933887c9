SELECT judge, ability, information FROM live_information_curves
WHERE round_id = $round AND slice = 'overall'
ORDER BY judge, ability;
