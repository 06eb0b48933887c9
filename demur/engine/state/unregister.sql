DELETE FROM demur.registrations WHERE model = %(model)s AND process = %(process)s
