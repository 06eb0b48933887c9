-- The second lever of perturbations that have two defects.
ALTER TABLE raw.perturbations ADD COLUMN second_lever_id VARCHAR;
