-- The imported responses to an item.
SELECT
    respondent, replicate, response_id, response, reasoning,
    CASE WHEN predicted = 'INVALID' AND trim(response) = '' THEN 'the reply has no response' END AS invalid_reason,
    refused_by_provider, NULL AS is_cut, is_mixed, confidence, judge, predicted, quality, eligible, supported_all,
    supported_relevant, correct, NULL AS explanation, NULL AS other_codes, NULL AS contradiction, expected, response_kind, is_right,
    NULL AS judge_unit_id
FROM live_imported_responses
LEFT JOIN (SELECT round_id, response_id, response_kind, is_right FROM response_outcomes WHERE item_id = $id) USING (round_id, response_id)
WHERE round_id = $round AND item_id = $id
ORDER BY respondent, replicate, judge;
