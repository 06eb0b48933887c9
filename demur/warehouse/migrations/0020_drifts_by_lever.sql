-- How scores moved, of levers that may be trained on and of those that may not.

ALTER TABLE raw.drifts ADD COLUMN levers VARCHAR;
COMMENT ON COLUMN raw.drifts.levers IS '`all`, `train` or `held_out`: items of which levers; null in rows from before there was that: all';
