SELECT
    class, sum(on_offer)::BIGINT AS on_offer, sum(asked)::BIGINT AS asked, sum(pulled)::BIGINT AS pulled,
    sum(with_accepted)::BIGINT AS with_accepted, sum(with_items)::BIGINT AS with_items
FROM lever_coverage_by_stratum
WHERE round_id = $round
GROUP BY class
ORDER BY class;
