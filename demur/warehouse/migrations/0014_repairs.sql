-- Which perturbation repairs which: what was found wrong with one goes back to its generator.

ALTER TABLE raw.perturbations ADD COLUMN repair BIGINT;
ALTER TABLE raw.perturbations ADD COLUMN repair_of VARCHAR;
COMMENT ON COLUMN raw.perturbations.repair IS 'how often it went back to its generator before, from 0; null in rows from before there were repairs';
COMMENT ON COLUMN raw.perturbations.repair_of IS 'the perturbation whose place it took; null where it is a first attempt';
