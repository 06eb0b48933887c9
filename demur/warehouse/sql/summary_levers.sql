SELECT
    class,
    sum(on_offer)::BIGINT AS "levers on offer",
    sum(asked)::BIGINT AS asked,
    sum(pulled)::BIGINT AS pulled,
    sum(with_accepted)::BIGINT AS accepted,
    sum(with_items)::BIGINT AS "in items"
FROM lever_coverage_by_stratum
WHERE round_id = ?
GROUP BY class
ORDER BY class;
