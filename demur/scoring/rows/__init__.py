"""Results of `demur.scoring` as rows of tables."""
