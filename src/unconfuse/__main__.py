"""`python -m unconfuse` is the same as `unconfuse`."""

from unconfuse.cli import main

if __name__ == "__main__":
    main()
