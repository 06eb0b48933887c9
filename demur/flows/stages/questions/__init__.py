"""Stages that make questions of documents: read_documents, ask, match and prove, with the passages that askers get."""
