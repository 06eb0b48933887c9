"""The stage ingest."""
