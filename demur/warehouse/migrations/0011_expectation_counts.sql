-- What a gate counted, as numbers beside the text: rows that break an integrity expectation, or a sample's share.
ALTER TABLE expectation_results ADD COLUMN offending BIGINT;
ALTER TABLE expectation_results ADD COLUMN successes BIGINT;
ALTER TABLE expectation_results ADD COLUMN trials BIGINT;
