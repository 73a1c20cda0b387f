"""``python -m stackr`` is the command ``stackr``."""

from stackr.main import run

if __name__ == "__main__":
    run()
