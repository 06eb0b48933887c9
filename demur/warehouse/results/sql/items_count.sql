-- Numbers of perturbations and controls in a list, by status.
SELECT s.status, count(*) AS items FROM item_states s
-- include items_where
GROUP BY s.status ORDER BY items DESC, s.status
