"""Packages of demur: the top-level folders, installed under the one import name `demur`."""

from setuptools import find_packages, setup

ROOMS = ("flows", "programs", "levers", "scoring", "warehouse", "reports", "deployments")
FOUND = find_packages(include=[pattern for room in ROOMS for pattern in (room, f"{room}.*")])

setup(
    packages=["demur", *(f"demur.{name}" for name in FOUND)],
    package_dir={"demur": "demur", **{f"demur.{room}": room for room in ROOMS}},
)
