"""Run the command line as ``python -m jointmds``."""

from jointmds.cli import main

if __name__ == "__main__":
    main(prog_name="jointmds")
