SELECT item_id, base_id, class, intensity, question, passages, language FROM live_items WHERE round_id = ? ORDER BY item_id;
