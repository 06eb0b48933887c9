UPDATE rounds SET config = json_merge_patch(config, $read) WHERE round_id = $round_id;
