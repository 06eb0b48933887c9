"""What `demur.scoring` finds, as rows of tables."""
