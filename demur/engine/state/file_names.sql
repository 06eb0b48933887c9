SELECT DISTINCT name FROM demur.batch_files
WHERE home = %(home)s AND round_id = %(round_id)s AND stage = %(stage)s
  AND right(name, length(%(suffix)s)) = %(suffix)s
ORDER BY name
