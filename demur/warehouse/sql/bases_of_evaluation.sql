-- Base instances of an evaluation, with accepted answers and original passages.
SELECT base_id, answers, passages FROM live_base_instances WHERE round_id = ? ORDER BY base_id;
