INSERT INTO demur.batch_files (home, round_id, stage, name, start, content)
VALUES (%(home)s, %(round_id)s, %(stage)s, %(name)s, %(start)s, %(content)s)
