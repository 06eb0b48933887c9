"""Tests of named tables."""
