-- Items of an evaluation that a respondent should refuse, with their base instances.
SELECT item_id, base_id FROM live_items WHERE round_id = ? AND expected <> 'ANSWER_CORRECTLY' ORDER BY item_id;
