-- What a round holds now: rows whose unit of work is still planned. Changing a prompt or a model leaves the old rows in
-- their tables and takes them out of here. A policy's units may have been worked on in an earlier round, so the round
-- of these views is the round that plans the unit, not the one that paid for it.

CREATE OR REPLACE VIEW live_base_instances AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM base_instances t
JOIN units u ON u.stage = 'ingest' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_screenings AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM screenings t
JOIN units u ON u.stage = 'screen' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_perturbations AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM perturbations t
JOIN units u ON u.stage = 'generate' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_checks AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM checks t
JOIN units u ON u.stage IN ('generate', 'deduplicate') AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_verdicts AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM verdicts t
JOIN units u ON u.stage = 'verify' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_items AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM items t
JOIN units u ON u.stage = 'assemble' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_responses AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM responses t
JOIN units u ON u.stage = 'respond' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_judgements AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM judgements t
JOIN units u ON u.stage = 'judge' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_scores AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM scores t
JOIN units u ON u.stage = 'score' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_completions AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM completions t
JOIN units u ON u.stage = 'write' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_grades AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM grades t
JOIN units u ON u.stage = 'grade' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_fits AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM fits t
JOIN units u ON u.stage = 'fit' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_weights AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM weights t
JOIN units u ON u.stage = 'fit' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_rewards AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM rewards t
JOIN units u ON u.stage = 'reward' AND u.unit_id = t.unit_id;

CREATE OR REPLACE VIEW live_failures AS
SELECT f.* FROM failures f
JOIN units u ON u.round_id = f.round_id AND u.stage = f.stage AND u.unit_id = f.unit_id;
