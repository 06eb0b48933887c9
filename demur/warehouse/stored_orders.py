"""Files of orders, and orders kept in a home's store for workers without the flow's disk."""

from pathlib import Path

from demur.warehouse.errors import disk_explained
from demur.warehouse.home import Home
from demur.warehouse.plans import plan_path


def order_files(home: Home, round_id: str, stage: str) -> list[Path]:
    """Return the orders of a stage, without its plan."""
    folder = home.orders(round_id, stage)
    plan = plan_path(home, round_id, stage)
    return [path for path in sorted(folder.glob("[!.]*.parquet")) if path != plan] if folder.is_dir() else []


def offer_order(home: Home, path: Path) -> None:
    """Put an order where workers of other machines find it; a folder is seen by all of them."""
    if home.store is not None:
        home.store.put(home.key(path), path)


def order_stands(home: Home, path: Path) -> bool:
    """Return whether an order was not withdrawn, and have its file here then."""
    if home.store is None:
        return path.exists()
    found = home.store.head(home.key(path))
    if found is None:
        return False
    with disk_explained(path):
        return path.exists() or home.store.fetch(found, path)


def withdraw_offer(home: Home, path: Path) -> None:
    """Delete an order from the store."""
    if home.store is not None:
        home.store.delete(home.key(path))


def withdraw_offers(home: Home, round_id: str, stage: str) -> None:
    """Delete all orders of a stage from the store, those of flows on other machines too."""
    if home.store is not None:
        home.store.delete(*(one.key for one in home.store.list(f"{home.key(home.orders(round_id, stage))}/")))
