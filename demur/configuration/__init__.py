"""The definition of a round: its configuration as typed models, and settings from the environment.

Fields of a round's file and their checks belong here. Only `settings` reads the environment. `flows/rounds` finds
configuration files and starts rounds.
"""
