-- Expectations of the stage grade for grades.

-- rows_of_another_round: round_id
-- No grade of a response was made in another round.
SELECT t.round_id, t.unit_id
FROM units u
JOIN grades t USING (unit_id)
WHERE u.round_id = $round_id AND u.stage = 'grade' AND t.round_id <> u.round_id AND t.subject_kind = 'response';

-- probability_in_range: probability
-- Every probability lies between 0 and 1.
SELECT unit_id, policy, behaviour, subject_kind, subject_id, grader, proposition, probability
FROM live_grades
WHERE round_id = $round_id AND NOT coalesce(probability BETWEEN 0 AND 1, false);

-- without_subject: subject_kind, subject_id
-- Every grade belongs to a completion, a response or a line of a file.
WITH subjects AS (
    SELECT 'completion' AS subject_kind, completion_id AS subject_id FROM live_completions WHERE round_id = $round_id
    UNION ALL
    SELECT 'response', response_id FROM live_responses WHERE round_id = $round_id
    UNION ALL
    SELECT 'completion', subject_id FROM live_file_lines WHERE round_id = $round_id
)
SELECT unit_id, policy, behaviour, subject_kind, subject_id, grader, proposition
FROM live_grades
ANTI JOIN subjects USING (subject_kind, subject_id)
WHERE round_id = $round_id;

-- unlike_subject: class, intensity
-- Class and intensity of a grade are those of its completion or response.
WITH subjects AS (
    SELECT 'completion' AS subject_kind, completion_id AS subject_id, class, intensity
    FROM live_completions WHERE round_id = $round_id
    UNION ALL
    SELECT 'response', response_id, class, intensity FROM live_responses WHERE round_id = $round_id
)
SELECT t.unit_id, t.subject_kind, t.subject_id, t.class, t.intensity
FROM live_grades t
JOIN subjects s USING (subject_kind, subject_id)
WHERE t.round_id = $round_id AND (t.class, t.intensity) IS DISTINCT FROM (s.class, s.intensity);

-- propositions_missing: proposition
-- Every text that is graded for a behaviour has grades for the same number of propositions.
WITH graded AS (
    SELECT policy, behaviour, subject_kind, subject_id, count(*) AS propositions
    FROM live_grades
    WHERE round_id = $round_id
    GROUP BY ALL
)
FROM graded
QUALIFY propositions < max(propositions) OVER (PARTITION BY policy, behaviour);
