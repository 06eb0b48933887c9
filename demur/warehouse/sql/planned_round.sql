-- What a round was begun with.
SELECT CAST(config AS VARCHAR) AS config, seed FROM rounds WHERE round_id = $1;
