-- Landed judgements of responses with an INVALID judgement, also judgements that the round no longer plans.
SELECT unit_id, stamp, predicted <> 'INVALID' AS readable
FROM judgements
WHERE round_id = ? AND (
    predicted = 'INVALID' OR response_id IN (
        SELECT response_id FROM judgements WHERE round_id = ? AND predicted = 'INVALID'
    )
);
