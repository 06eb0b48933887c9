-- Failures of planned units. The live views of the tables of units are made from warehouse/tables/__init__.py.

CREATE OR REPLACE VIEW live_failures AS
SELECT f.* FROM failures f
JOIN units u ON u.round_id = f.round_id AND u.stage = f.stage AND u.unit_id = f.unit_id;
COMMENT ON VIEW live_failures IS 'One row per unit of the current plan that ended without a result.';

CREATE OR REPLACE VIEW failed_responses AS
SELECT
    round_id, subject ->> '$.item_id' AS item_id, subject ->> '$.respondent' AS respondent,
    CAST(subject ->> '$.replicate' AS BIGINT) AS replicate, reason, detail
FROM live_failures
WHERE stage = 'respond';
COMMENT ON VIEW failed_responses IS 'One row per planned response that could not be obtained. In scores it counts as INVALID.';
COMMENT ON COLUMN failed_responses.item_id IS 'id of the item';
COMMENT ON COLUMN failed_responses.respondent IS 'model that did not answer';
COMMENT ON COLUMN failed_responses.replicate IS 'number of the response among repeated responses, from 0';

CREATE OR REPLACE VIEW failed_judgements AS
SELECT
    round_id, subject ->> '$.response_id' AS response_id, subject ->> '$.judge' AS judge, reason, detail
FROM live_failures
WHERE stage = 'judge';
COMMENT ON VIEW failed_judgements IS 'One row per response and judge whose judgement could not be obtained. In scores it counts as INVALID.';
COMMENT ON COLUMN failed_judgements.response_id IS 'id of the response';
COMMENT ON COLUMN failed_judgements.judge IS 'model that did not judge the response';
