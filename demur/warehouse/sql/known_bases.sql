SELECT base_id FROM known_bases WHERE round_id = ? AND is_known;
