-- The table of the precision of a round's means takes the term's name.
ALTER TABLE raw.reaches RENAME TO sample_precision;
