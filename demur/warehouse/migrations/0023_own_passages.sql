-- Which passages of a base instance its question came with, where passages of the corpus stand around them.
ALTER TABLE raw.base_instances ADD COLUMN own_passages BIGINT[];
