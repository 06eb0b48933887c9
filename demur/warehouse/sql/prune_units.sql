-- Delete units of pruned rounds in the stages whose rows are deleted.
DELETE FROM units
WHERE round_id IN (SELECT round_id FROM rounds WHERE pruned_at IS NOT NULL) AND list_contains($stages, stage)
