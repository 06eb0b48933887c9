-- The digest of the configuration that the estimates of a round were made with.
SELECT any_value(config_digest) AS config_digest FROM estimates WHERE round_id = ? GROUP BY round_id;
