-- Whose response was rewarded, so that mean rewards need no join with a million responses.

ALTER TABLE rewards ADD COLUMN respondent VARCHAR;
UPDATE rewards SET respondent = responses.respondent FROM responses WHERE responses.response_id = rewards.response_id;
COMMENT ON COLUMN rewards.respondent IS 'who gave the response; null only where a response from before this column is gone';
