-- Rows of a round's file of questions: usable ones by the reason for which their answers count, and those left out.
SELECT
    CASE row.outcome WHEN 'difference' THEN 'of these, with other' WHEN 'usable' THEN 'usable' ELSE 'left out, ' || row.outcome END AS outcome,
    CASE row.reason
        WHEN 'letters' THEN 'a passage has the letters of an answer'
        WHEN 'spelling' THEN 'a passage states an answer in another spelling'
        WHEN 'yes_no' THEN 'the answer is yes or no'
        WHEN 'reference' THEN 'a person wrote the answer from the passages'
        WHEN 'proved' THEN 'to be proved by screeners'
        ELSE replace(row.reason, '_', ' ')
    END AS reason,
    row.rows AS rows,
    CASE WHEN row.outcome <> 'difference' THEN row.rows / sum(row.rows) FILTER (row.outcome <> 'difference') OVER () END AS share
FROM (
    SELECT unnest(CAST(config -> '$.corpus_rows' AS STRUCT(outcome VARCHAR, reason VARCHAR, "rows" BIGINT)[])) AS row
    FROM rounds WHERE round_id = $round
)
ORDER BY array_position(['usable', 'difference', 'faulty', 'not suited'], row.outcome), row.rows DESC, reason;
