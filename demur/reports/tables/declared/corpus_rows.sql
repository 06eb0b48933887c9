-- Rows of a round's file of questions: usable ones by the reason for which their answers count, and those left out. Below them the drawn base
-- instances whose answers had to be proved.
WITH read AS (
    SELECT unnest(CAST(config -> '$.corpus_rows' AS STRUCT(outcome VARCHAR, reason VARCHAR, "rows" BIGINT)[])) AS row
    FROM rounds WHERE round_id = $round
), counted AS (
    SELECT
        array_position(['usable', 'difference', 'faulty', 'not suited'], row.outcome) AS place,
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
    FROM read
), proofs AS (
    SELECT base_id IN (SELECT base_id FROM solved_bases WHERE round_id = $round) AS is_proved, count(DISTINCT base_id) AS rows
    FROM live_screenings WHERE round_id = $round AND contains(screener, '#')
    GROUP BY is_proved
)
SELECT outcome, reason, rows, share FROM (
    FROM counted
    UNION ALL
    SELECT 5, 'drawn, to be proved', CASE WHEN is_proved THEN 'proved by every screener, twice' ELSE 'not proved' END, rows, rows / sum(rows) OVER ()
    FROM proofs
)
ORDER BY place, rows DESC, reason;
