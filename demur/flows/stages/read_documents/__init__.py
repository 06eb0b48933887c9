"""The stage read_documents."""
