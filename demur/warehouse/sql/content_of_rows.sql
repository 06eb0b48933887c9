-- The number of rows of a query, and the sum of their hashes, which does not depend on the order of the rows.
SELECT
    count(*) AS rows,
    printf(
        '%032x%032x',
        coalesce(sum(md5_number_lower(json)), 0)::HUGEINT, coalesce(sum(md5_number_upper(json)), 0)::HUGEINT
    ) AS digest
FROM (SELECT to_json(found)::VARCHAR AS json FROM (${query}) AS found);
