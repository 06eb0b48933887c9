DELETE FROM demur.holds WHERE name = %(name)s AND holder = %(holder)s
