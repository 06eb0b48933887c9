-- How many there are.
SELECT count(*) AS items FROM item_states s
-- include items_where
