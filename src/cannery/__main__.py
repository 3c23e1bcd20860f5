"""``python -m cannery`` is the command ``cannery``."""

from cannery.cli import main

if __name__ == "__main__":
    main()
