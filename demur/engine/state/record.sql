-- Keep a group of calls; a group that is there already is the same group.
INSERT INTO demur.journal (group_id, home, round_id, stage, shard, lines)
VALUES (%(group)s, %(home)s, %(round_id)s, %(stage)s, %(shard)s, %(lines)s)
ON CONFLICT DO NOTHING
