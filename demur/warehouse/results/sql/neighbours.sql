-- The items before and after an item, in the order of a list.
WITH placed AS (
    SELECT s.id, row_number() OVER (ORDER BY ${order}) AS place
    FROM item_states s
    -- include items_where
)
SELECT
    p.place, (SELECT count(*) FROM placed) AS items,
    (SELECT id FROM placed b WHERE b.place = p.place - 1) AS previous,
    (SELECT id FROM placed n WHERE n.place = p.place + 1) AS next
FROM placed p WHERE p.id = $id;
