"""Fortran 2008."""
