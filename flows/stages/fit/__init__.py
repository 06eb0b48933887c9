"""The stage fit."""
