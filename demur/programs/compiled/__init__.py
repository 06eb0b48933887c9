"""Programs whose instructions and demonstrations DSPy's optimisers chose: made, kept as files, loaded."""
