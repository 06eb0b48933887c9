-- Archived journals that the warehouse has calls of.
SELECT DISTINCT journal FROM calls WHERE round_id = $round AND journal IS NOT NULL
