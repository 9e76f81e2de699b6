"""Command that runs studies and writes their tables and figures to docs/studies.

python -m studies [NAME ...]
"""

from __future__ import annotations

import sys
from importlib import import_module

from studies.page import STUDIES, write_figures, write_tables

if __name__ == "__main__":
    for name in sys.argv[1:] or STUDIES:
        study = import_module(f"studies.{name}.study")
        write_tables(name, study.TABLES)
        written = write_figures(name, study.figures)
        print(f"docs/studies/{name}.md, {', '.join(written)}", flush=True)
