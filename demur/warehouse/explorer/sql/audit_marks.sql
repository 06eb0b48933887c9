-- What readers marked on one item.
SELECT
    reader, lever_fidelity, intensity_achieved, uncertainty_induced, linguistic_soundness, ground_truth_alignment, note,
    seed, suspected
FROM live_audits WHERE round_id = $round AND item_id = $id ORDER BY reader;
