-- Judgements of responses with an INVALID judgement, also judgements that the round no longer plans, and answered
-- repetitions whose rows were deleted because code has changed.
SELECT unit_id, stamp, predicted <> 'INVALID' AS readable
FROM judgements
WHERE round_id = $1 AND (
    predicted = 'INVALID' OR response_id IN (
        SELECT response_id FROM judgements WHERE round_id = $1 AND predicted = 'INVALID'
    )
)
UNION ALL
SELECT unit_id, stamp, true
FROM units
SEMI JOIN (SELECT unit_id FROM calls WHERE round_id = $1 AND stage = 'judge' AND status = 'ok') USING (unit_id)
ANTI JOIN judgements USING (unit_id)
WHERE round_id = $1 AND stage = 'judge';
