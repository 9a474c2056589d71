"""Loads each file of JSON lines named on the command line with Hugging Face `datasets`, in every way that a user
may, and prints for each file and way `ok`, or how what came back differs, or why it was refused."""

import json
import sys
import tempfile

import datasets

WAYS = {
    "whole": {},
    "chunked": {"chunksize": 1},
    "streaming": {"streaming": True},
    "streaming, chunked": {"streaming": True, "chunksize": 1},
}


def without_nulls(value):
    """A key that a row does not have comes back as null: Arrow's structs have all keys of the column."""
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [without_nulls(member) for member in value]
    return value


def first_difference(written, loaded):
    if len(written) != len(loaded):
        return f"{len(loaded)} rows instead of {len(written)}"
    for index, (before, after) in enumerate(zip(written, loaded)):
        for key in before:
            if without_nulls(before[key]) != without_nulls(after.get(key)):
                return f"row {index}, {key}: {before[key]!r:.200} came back as {after.get(key)!r:.200}"
    return None


def load(path, options):
    with tempfile.TemporaryDirectory() as cache:
        try:
            rows = datasets.load_dataset("json", data_files=path, split="train", cache_dir=cache, **options)
            loaded = list(rows)
        except Exception as error:
            while error.__cause__ is not None:
                error = error.__cause__
            return f"refused: {type(error).__name__}: {error}"
    with open(path, encoding="utf-8") as lines:
        written = [json.loads(line) for line in lines]
    difference = first_difference(written, loaded)
    return "ok" if difference is None else f"differs: {difference}"


datasets.disable_progress_bars()
datasets.logging.set_verbosity(60)
print(json.dumps({path: {way: load(path, options) for way, options in WAYS.items()} for path in sys.argv[1:]}))
