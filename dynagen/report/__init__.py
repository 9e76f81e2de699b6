"""Reports of results, as tables, JSON, figures and HTML pages."""
