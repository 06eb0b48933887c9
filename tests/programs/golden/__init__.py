"""Rendered prompts as they were last reviewed.

A changed prompt has another fingerprint, so that every unit which it touches is asked anew. To take over a change that
you want, run `python -m tests.programs.golden` and review the difference.
"""
