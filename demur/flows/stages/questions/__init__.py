"""Stages that make questions of documents."""
