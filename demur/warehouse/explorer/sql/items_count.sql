-- How many there are, by status.
SELECT s.status, count(*) AS items FROM item_states s
-- include items_where
GROUP BY s.status ORDER BY items DESC, s.status
