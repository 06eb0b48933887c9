"""Source files of exported tasks for other tools; demur copies them as text and never imports them."""
