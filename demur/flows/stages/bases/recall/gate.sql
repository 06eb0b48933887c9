-- Expectations of the stage recall for the responses of probes.

-- probes_unknown: probe
-- Every model that was asked is a probe of the round.
SELECT t.unit_id, t.base_id, t.probe
FROM live_recalls t
JOIN rounds r USING (round_id)
WHERE t.round_id = $round_id
    AND NOT coalesce(list_contains(CAST(r.config -> '$.generation.known.probe' AS VARCHAR[]), t.probe), false);

-- right_without_response: is_right, response
-- No missing or empty response is right.
SELECT unit_id, base_id, probe
FROM live_recalls
WHERE round_id = $round_id AND is_right AND trim(coalesce(response, '')) = '';
