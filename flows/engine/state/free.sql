DELETE FROM demur.holds WHERE starts_with(name, %(prefix)s)
