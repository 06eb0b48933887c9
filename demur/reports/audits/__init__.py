"""Pages on which people read and mark items or questions, the import of their marks, and the audit gate."""
