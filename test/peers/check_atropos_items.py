"""Checks items on standard input, a JSON array, as the consumer does: `check_atropos_items.py <group size>`."""

import json
import sys

from atropos_checks import check_item

for item in json.load(sys.stdin):
    check_item(item, int(sys.argv[1]))
