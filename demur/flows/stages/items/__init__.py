"""Stages that make items from base instances: generate, deduplicate, verify, agree and assemble."""
