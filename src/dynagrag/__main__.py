"""`python -m dynagrag`."""

from dynagrag.cli.main import main

if __name__ == "__main__":
    main()
