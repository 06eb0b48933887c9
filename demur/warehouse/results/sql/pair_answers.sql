-- Responses of two respondents, side by side, to items on which only one of them is right.
WITH a AS (
    SELECT item_id, min_by(response_id, replicate) AS response_id, min_by(response_kind, replicate) AS response_kind,
        bool_and(is_right) AS is_right, any_value(class) AS class, any_value(intensity) AS intensity
    FROM response_outcomes
    WHERE round_id = $round AND respondent = $a AND judge = $judge AND is_right IS NOT NULL AND kind = 'perturbed'
    GROUP BY item_id
), b AS (
    SELECT item_id, min_by(response_id, replicate) AS response_id, min_by(response_kind, replicate) AS response_kind,
        bool_and(is_right) AS is_right
    FROM response_outcomes
    WHERE round_id = $round AND respondent = $b AND judge = $judge AND is_right IS NOT NULL AND kind = 'perturbed'
    GROUP BY item_id
), differing AS (
    SELECT a.item_id, a.class, a.intensity, a.response_id AS first_id, b.response_id AS second_id,
        a.response_kind AS first_kind, b.response_kind AS second_kind, a.is_right AS first_is_right
    FROM a JOIN b USING (item_id)
    WHERE a.is_right <> b.is_right
    ORDER BY a.item_id
    LIMIT 20
)
SELECT
    i.id, d.class, d.intensity, i.question, d.first_kind, d.second_kind, d.first_is_right,
    f.response AS first_response, s.response AS second_response
FROM differing d
JOIN item_states i ON i.round_id = $round AND i.item_id = d.item_id
LEFT JOIN responses f ON f.response_id = d.first_id AND f.item_id = d.item_id
LEFT JOIN responses s ON s.response_id = d.second_id AND s.item_id = d.item_id
ORDER BY d.item_id;
