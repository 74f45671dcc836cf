"""`python -m unconfuse` does what `unconfuse` does."""

from unconfuse.cli import main

if __name__ == "__main__":
    main()
