-- Marks of an audit, without names and notes. Readers are numbered within the round.
SELECT
    item_id, dense_rank() OVER (ORDER BY reader) AS reader, class, intensity, lever_fidelity, intensity_achieved,
    uncertainty_induced, linguistic_soundness, ground_truth_alignment
FROM live_audits WHERE round_id = ?
ORDER BY item_id, reader;
