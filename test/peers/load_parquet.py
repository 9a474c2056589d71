"""Whether `datasets` gives back what was written: `load_parquet.py ROWS.parquet ROWS.jsonl [MORE.parquet MORE.jsonl …]`.

Members that a row lacks are null, and the places that a file names as JSON text hold the JSON of what was there.
"""

import json
import sys
import tempfile

import datasets
import pyarrow.parquet

def same(found, written, place, json_places):
    if place in json_places and found is not None:
        return json.loads(found) == written
    if isinstance(found, dict):
        members = written or {}
        inner = (
            same(value, members.get(key), f"{place}.{key}" if place else key, json_places)
            for key, value in found.items()
        )
        return written is not None and set(members) <= set(found) and all(inner)
    if isinstance(found, list):
        inner = (same(a, b, f"{place}[]", json_places) for a, b in zip(found, written))
        return isinstance(written, list) and len(found) == len(written) and all(inner)
    # A column in which one number has a fraction holds only such.
    same_type = type(found) is type(written) or (isinstance(found, float) and type(written) is int)
    return same_type and found == written


def check(parquet, lines, cache):
    json_places = set(json.loads(pyarrow.parquet.read_schema(parquet).metadata[b"longrun.json"]))
    with open(lines, encoding="utf-8") as text:
        rows = [json.loads(line) for line in text]
    for streaming in (False, True):
        loaded = datasets.load_dataset(
            "parquet", data_files=parquet, split="train", streaming=streaming, cache_dir=cache
        )
        found = list(loaded)
        assert len(found) == len(rows), f"{parquet}: {len(found)} rows for {len(rows)}"
        for number, (one, other) in enumerate(zip(found, rows), start=1):
            assert same(one, other, "", json_places), f"{parquet}: row {number}: {one} for {other}"
    return {"rows": len(rows), "json": sorted(json_places)}


files = sys.argv[1:]
with tempfile.TemporaryDirectory() as cache:
    print(json.dumps([check(*pair, cache) for pair in zip(files[::2], files[1::2])]))
