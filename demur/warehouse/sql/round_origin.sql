-- Whether a round's responses were made elsewhere; no row where there is no such round.
SELECT is_imported AS imported, files FROM round_origins WHERE round_id = ?;
