UPDATE demur.holds SET withdrawn = true WHERE starts_with(name, %(prefix)s)
