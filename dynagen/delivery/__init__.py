"""What is put on disk: a folder written whole or not at all, and the reading of one that was written before."""
