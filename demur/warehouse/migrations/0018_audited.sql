-- Whether the release that was answered had been read by people.
ALTER TABLE raw.evaluations ADD COLUMN audit VARCHAR;
