"""The definition of a round: its configuration as typed models, and settings from the environment.

Fields of a round's file belong here, with their checks. Only `settings` reads the environment. Finding a configuration
file and starting a round from it belong to `flows/rounds`.
"""
