-- Grades of a round by policy, behaviour, kind of subject and stratum: rows, units, lowest and highest probability, and
-- rows that break what later stages rely on. A probability that is not a number counts as infinite. Keys are compared
-- among rows of the same labels: grades are many, and windows over all of them would take twice the memory.
WITH landed AS (
    SELECT
        g.unit_id, g.policy, g.behaviour, g.subject_kind, g.subject_id, g.class, g.intensity, g.grader, g.proposition,
        g.probability,
        u.round_id <> g.round_id AS of_another_round
    FROM units u JOIN grades g USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'grade'
), short AS (
    SELECT unit_id
    FROM (
        SELECT policy, behaviour, unit_id, count(*) AS propositions
        FROM live_grades WHERE round_id = $round_id GROUP BY ALL
    )
    QUALIFY propositions < max(propositions) OVER (PARTITION BY policy, behaviour)
), subjects AS (
    SELECT DISTINCT 'completion' AS subject_kind, completion_id AS subject_id, class, intensity
    FROM live_completions WHERE round_id = $round_id
    UNION ALL
    SELECT DISTINCT 'response', response_id, class, intensity FROM live_responses WHERE round_id = $round_id
)
SELECT
    g.policy, g.behaviour, g.subject_kind, g.class, g.intensity,
    count(*) AS rows,
    count(DISTINCT g.unit_id) AS units,
    min(g.probability) AS lowest_probability,
    max(CASE WHEN isnan(g.probability) THEN 'infinity' ELSE g.probability END) AS highest_probability,
    count(*) FILTER (g.of_another_round AND g.subject_kind = 'response') AS rows_of_another_round,
    count(*) - count(DISTINCT (g.subject_id, g.grader, g.proposition)) AS keys_repeated,
    count(*) FILTER ('' IN (g.policy, g.behaviour, g.subject_id, g.grader, g.proposition)) AS keys_blank,
    count(*) FILTER (s.subject_id IS NULL) AS without_subject,
    count(*) FILTER (
        s.subject_id IS NOT NULL AND (g.class, g.intensity) IS DISTINCT FROM (s.class, s.intensity)
    ) AS unlike_subject,
    count(DISTINCT g.unit_id) FILTER (g.unit_id IN (SELECT unit_id FROM short)) AS propositions_missing
FROM landed g
LEFT JOIN subjects s USING (subject_kind, subject_id)
GROUP BY ALL
ORDER BY ALL;
