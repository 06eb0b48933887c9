SELECT lever_id, rounds, items, information, spread FROM lever_states WHERE round_id = ? ORDER BY lever_id;
