"""Stages that choose base instances."""
