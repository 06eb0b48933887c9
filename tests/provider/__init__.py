"""A provider on loopback for tests: real HTTP in both wire formats, answers by rule, faults on demand."""
