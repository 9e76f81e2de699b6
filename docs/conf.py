"""Settings of the documentation site: Sphinx, MyST for Markdown pages, and the theme furo.

Formulas become MathML when the site is built (`_ext/mathml.py`): browsers show it without a script
or a font, so the site can be read without a network.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dynagen.version import __version__

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER / "_ext"))

project = "dynagen"
author = copyright = "The dynagen developers"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "docstrings",
    "keyboard",
    "mathml",
    "outside_files",
    "robot_pages",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_ext", "_static"]
nitpicky = False

smartquotes = False  # options begin with two dashes
highlight_language = "none"

html_theme = "furo"
html_title = f"dynagen {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
html_show_sphinx = False
html_copy_source = False

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_url_schemes = ["http", "https", "mailto", "file"]
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
