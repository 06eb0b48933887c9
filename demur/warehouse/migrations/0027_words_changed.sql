-- How much a perturbation changed: with its control, an item that differs by little makes a near pair.
ALTER TABLE raw.items ADD COLUMN words_changed BIGINT;
