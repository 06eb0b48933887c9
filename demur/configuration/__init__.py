"""The definition of a round: its configuration and models as types, checks of both, and settings from the environment.

Fields of a round's file and their checks belong here. Only `settings` reads the environment. `flows/rounds` finds
configuration files and starts rounds.
"""
