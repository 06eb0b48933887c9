"""Stages that choose base instances: ingest, recall and screen, with the draw from the corpus."""
