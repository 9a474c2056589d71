"""Sums up the orders of one day. Run it from its own directory."""

import argparse
import os
import sys
from datetime import date


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--date", type=date.fromisoformat, required=True)
    day = parser.parse_args().date
    if os.environ.get("REPORT_ENV") != "production":
        print("dry run: REPORT_ENV is not production", file=sys.stderr)
        return 1
    with open("templates/report.txt") as template:
        print(template.read().format(day=day))
    return 0


if __name__ == "__main__":
    sys.exit(main())
