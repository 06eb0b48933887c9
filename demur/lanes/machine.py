"""What this machine lets a process use: cores and memory, within the limits of its control groups (containers)."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

GROUPS: Final = Path("/sys/fs/cgroup")
MEMORY: Final = Path("/proc/meminfo")


def usable_cores(groups: Path = GROUPS) -> int:
    """Return the number of cores that this process may use, at least 1."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for limit in _limits(groups, "cpu.max"):
        quota, _, period = limit.partition(" ")
        if quota.isdecimal() and period.isdecimal() and int(period):
            cores = min(cores, int(quota) // int(period))
    return max(1, cores)


def available_memory(memory: Path = MEMORY, groups: Path = GROUPS) -> int | None:
    """Return the available memory in bytes; None if the machine does not tell: only Linux does."""
    found = re.search(r"MemAvailable:\s+(\d+) kB", memory.read_text("ascii")) if memory.exists() else None
    if found is None:
        return None
    limits = [*_limits(groups, "memory.max"), *_limits(groups / "memory", "memory.limit_in_bytes")]
    return min([int(found[1]) * 1024, *(int(limit) for limit in limits if limit.isdecimal())])


def _limits(groups: Path, name: str, own: Path = Path("/proc/self/cgroup")) -> Iterator[str]:
    """Yield a limit of this process's control group and of all groups above it."""
    try:
        lines = own.read_text("utf-8").splitlines()
    except OSError:
        lines = []
    paths = {line.split(":", 2)[2].strip("/") for line in lines if line.count(":") >= 2}
    folders = {folder for path in paths for folder in (groups / path, *(groups / path).parents)} | {groups}
    for folder in sorted(folders):
        if folder.is_relative_to(groups):
            try:
                yield (folder / name).read_text("ascii").strip()
            except OSError:
                continue
