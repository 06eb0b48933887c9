-- How many rows a query has, and a hash of them that does not depend on their order: the sum of the hashes of all.
SELECT
    count(*) AS rows,
    printf(
        '%032x%032x',
        coalesce(sum(md5_number_lower(json)), 0)::HUGEINT, coalesce(sum(md5_number_upper(json)), 0)::HUGEINT
    ) AS digest
FROM (SELECT to_json(found)::VARCHAR AS json FROM (${query}) AS found);
