"""What this room raises; every message names place, actual value, what is allowed and the remedy."""


class WarehouseError(Exception):
    """The warehouse, its landing zone or a file of theirs could not be used."""


class WarehouseBusyError(WarehouseError):
    """Somebody else kept the file open for longer than the caller wanted to wait."""


class WarehouseMissingError(WarehouseError):
    """There is no warehouse yet: nothing has been loaded or published."""


class WarehouseVersionError(WarehouseError):
    """The file was written by another version of demur whose tables this one does not know."""


class LandingError(WarehouseError):
    """A shard could not be written to the landing zone: disk, quota or permission."""


class RowError(WarehouseError):
    """Rows that their table does not accept; names table, row, column, value and rule."""
