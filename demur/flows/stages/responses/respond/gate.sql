-- Expectations of the stage respond for responses.

-- without_item: item_id
-- Every response belongs to an item.
SELECT unit_id, response_id, item_id
FROM live_responses
ANTI JOIN live_items USING (round_id, item_id)
WHERE round_id = $round_id;

-- unlike_item: base_id, class, intensity
-- Base instance, class and intensity of a response are those of its item.
SELECT t.unit_id, t.response_id, t.item_id
FROM live_responses t
JOIN live_items i USING (round_id, item_id)
WHERE t.round_id = $round_id
    AND (t.base_id, t.class, t.intensity) IS DISTINCT FROM (i.base_id, i.class, i.intensity);

-- respondents_unknown: respondent
-- Every response comes from a respondent of the round.
SELECT unit_id, response_id, respondent
FROM live_responses
WHERE round_id = $round_id
    AND respondent NOT IN (SELECT unnest(respondents) FROM rounds WHERE round_id = $round_id);
