"""Care of a home: backups, pruning, health, and figures for monitoring tools."""
