-- Judgements that have landed, whether they are still planned or not, and whether they could be read.
SELECT unit_id, predicted <> 'INVALID' AS readable
FROM judgements
WHERE round_id = ? AND (
    predicted = 'INVALID' OR response_id IN (
        SELECT response_id FROM judgements WHERE round_id = ? AND predicted = 'INVALID'
    )
);
