-- Expectations of the stage unpack for items from a release.

-- without_base_instance: base_id
-- Every item has a base instance.
SELECT unit_id, item_id, base_id
FROM live_items
ANTI JOIN live_base_instances USING (round_id, base_id)
WHERE round_id = $round_id;

-- expected_fits_stratum: expected
-- Every perturbed item expects what its class and intensity demand, and every control expects an answer.
SELECT unit_id, item_id, kind, class, intensity, expected
FROM live_items
WHERE round_id = $round_id AND concat_ws(' ', class, intensity, expected) NOT IN (SELECT unnest($expected));
