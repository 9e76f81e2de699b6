"""Reports: results of a run as tables and JSON, figures, and HTML pages."""
