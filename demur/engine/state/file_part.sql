SELECT substring(content FROM (%(start)s - start + 1)::int FOR %(length)s::int) FROM demur.batch_files
WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s AND name = %(name)s
  AND start <= %(start)s
ORDER BY start DESC LIMIT 1
