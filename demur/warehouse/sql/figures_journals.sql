-- Archived journals whose calls are in the warehouse.
SELECT DISTINCT journal FROM calls WHERE round_id = $round AND journal IS NOT NULL
