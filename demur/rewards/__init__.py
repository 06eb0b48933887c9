"""Fitted rewards as things to use elsewhere: reward files with their loader, and preference pairs."""
