SELECT CAST(config -> '$.corpus_rows' AS VARCHAR) AS read FROM rounds WHERE round_id = ?;
