-- Delete rows of pruned rounds, except rows of units that another round plans.
DELETE FROM ${table}
WHERE round_id IN (SELECT round_id FROM rounds WHERE pruned_at IS NOT NULL)
    AND unit_id NOT IN (SELECT unit_id FROM units)
