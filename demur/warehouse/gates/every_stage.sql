-- Expectations of every gate on its stage's table. ${table}, ${key} and the other words come from the table's model.

-- units_accounted
-- Every unit of the plan has rows or a failure.
SELECT unit_id
FROM units
ANTI JOIN ${table} USING (unit_id)
ANTI JOIN failures USING (round_id, stage, unit_id)
WHERE round_id = $round_id AND stage = $stage;

-- ${label}_repeated: ${key}
-- No two rows have the same ${key}.
SELECT ${key}, count(*) AS number
FROM live_${table}
WHERE round_id = $round_id
GROUP BY ALL
HAVING number > 1;

-- keys_blank: ${filled}
-- None of ${filled} is empty.
SELECT unit_id, ${key}
FROM live_${table}
WHERE round_id = $round_id AND '' IN (${filled});

-- ${column}_in_vocabulary: ${column}
-- Every ${column} is one of ${allowed}.
SELECT unit_id, ${key}, ${column} AS unknown_${column}
FROM live_${table}
WHERE round_id = $round_id AND ${column} NOT IN (SELECT unnest($allowed));

-- rows_of_another_round: round_id
-- No row was made in another round.
SELECT t.round_id, t.unit_id
FROM units u
JOIN ${table} t USING (unit_id)
WHERE u.round_id = $round_id AND u.stage = $stage AND t.round_id <> u.round_id;
