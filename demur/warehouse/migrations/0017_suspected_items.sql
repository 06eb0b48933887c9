-- Items that readers got because responses cast doubt on them, not by lot.

ALTER TABLE raw.audits ADD COLUMN suspected BOOLEAN;
COMMENT ON COLUMN raw.audits.suspected IS 'whether it was read because responses cast doubt on it, not by lot; null in rows from before there was that';
