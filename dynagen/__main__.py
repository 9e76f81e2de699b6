"""`python -m dynagen`."""

from dynagen.cli.main import main

main()
