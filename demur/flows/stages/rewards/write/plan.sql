SELECT item_id, class, intensity, question, answers, passages, expected, language
FROM live_items WHERE round_id = ? ORDER BY item_id;
