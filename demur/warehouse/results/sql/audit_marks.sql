-- The marks of all readers on one item, or on all items of a round.
SELECT
    item_id, reader, lever_fidelity, intensity_achieved, uncertainty_induced, linguistic_soundness,
    ground_truth_alignment, note, suspected
FROM live_audits
WHERE round_id = $round
    AND item_id = $id -- if id
ORDER BY item_id, reader;
