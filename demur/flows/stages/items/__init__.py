"""Stages that make items from base instances."""
