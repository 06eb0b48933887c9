DELETE FROM demur.batch_files WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s AND name = %(name)s
