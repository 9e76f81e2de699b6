"""Comparison of operation counts with papers and textbook algorithms."""
