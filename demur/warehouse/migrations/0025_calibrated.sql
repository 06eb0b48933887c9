-- Whether the judge had been compared with people when the release that was answered was frozen.
ALTER TABLE raw.evaluations ADD COLUMN calibration VARCHAR;
