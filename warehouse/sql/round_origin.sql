-- Whether a round's responses were made elsewhere; no row where there is no such round.
SELECT (config -> '$.imported') IS NOT NULL AS imported, config ->> '$.imported' AS files FROM rounds WHERE round_id = ?;
