"""What a round is: the round configuration as typed models, and settings from the environment.

A field that a round's file may hold belongs here, with its checks. Reading the environment belongs to `settings` and
to no other module. Finding a configuration file and starting a round from it belongs to `flows/rounds`.
"""
