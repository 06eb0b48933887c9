SELECT item_id, class, intensity FROM live_items WHERE round_id = ? AND kind = 'perturbed';
