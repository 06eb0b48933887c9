"""Writes the golden files anew; review the difference before you commit it."""

from tests.programs.golden.prompts import files

for path, text in files().items():
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.name}")
