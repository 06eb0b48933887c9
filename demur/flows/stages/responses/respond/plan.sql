SELECT item_id, base_id, class, intensity, question, passages, language FROM live_items WHERE round_id = ? ORDER BY md5(item_id), item_id;
