"""The stage assemble."""
