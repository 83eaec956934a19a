"""`python -m pcg COMMAND ...`: the command `pcg`, also where no folder of commands is on the path."""

from pcg.cli import main

if __name__ == "__main__":
    main()
