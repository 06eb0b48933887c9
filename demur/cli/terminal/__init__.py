"""What commands share: printing, tables, options with completion, progress bars, the end of the process."""
