-- Expectations of the stage ingest for base instances.

-- layouts_unlike_round: layout
-- Every base instance has the layout of the round.
SELECT t.unit_id, t.base_id, t.layout
FROM live_base_instances t
JOIN rounds r USING (round_id)
WHERE t.round_id = $round_id AND t.layout <> r.layout;

-- draws_repeated: draw
-- No two base instances have the same place in the draw.
SELECT unit_id, base_id, draw
FROM live_base_instances
WHERE round_id = $round_id
QUALIFY count(*) OVER (PARTITION BY draw) > 1;

-- without_answer: answers
-- Every base instance has an accepted answer.
SELECT unit_id, base_id
FROM live_base_instances
WHERE round_id = $round_id AND len(list_filter(answers, lambda answer: trim(answer) <> '')) = 0;

-- without_passage: passages
-- Every base instance has a passage.
SELECT unit_id, base_id
FROM live_base_instances
WHERE round_id = $round_id AND len(passages) = 0;
