"""A consumer of an Atropos server, as its example trainer is one: registers, polls batches, trains nothing.

    python atropos_consumer.py <url> <output.jsonl> <batch size> <group size>

Every item is checked and becomes a line of the output, `error` null or what is wrong with it. A server that is away or
has forgotten the trainer is registered at again, with the step that the trainer has reached.
"""

import http.client
import json
import sys
import time
import urllib.request

from atropos_checks import check_item

POLL_SECONDS = 0.05


def call(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def register(url, batch_size, step):
    call(
        f"{url}/register",
        {
            "wandb_group": "test",
            "wandb_project": "test",
            "batch_size": batch_size,
            "max_token_len": 32768,
            "checkpoint_dir": "",
            "save_checkpoint_interval": 1000,
            "starting_step": step,
            "num_steps": 1_000_000,
        },
    )


def line(item, batch, group_size):
    try:
        check_item(item, group_size)
        error = None
    except (ValueError, KeyError, TypeError) as broken:
        error = f"{type(broken).__name__}: {broken}"
    known = item["group_overrides"] or {}
    return {
        "batch": batch,
        "error": error,
        "group": known.get("group_id"),
        "item": known.get("item"),
        "items": known.get("items"),
        "delivery": known.get("delivery"),
        "rollouts": [entry.get("rollout_id") for entry in item["overrides"] or []],
        "tokens": item["tokens"],
        "scores": item["scores"],
    }


def consume(url, output, batch_size, group_size):
    registered = False
    batches = 0
    while True:
        try:
            if not registered:
                register(url, batch_size, batches)
                registered = True
            answer = call(f"{url}/batch")
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            registered = False
            time.sleep(POLL_SECONDS)
            continue
        if answer.get("status") == "error":
            registered = False
        elif not answer["batch"]:
            time.sleep(POLL_SECONDS)
        else:
            sequences = sum(len(item["tokens"]) for item in answer["batch"])
            if sequences != batch_size:
                raise SystemExit(f"a batch of {sequences} sequences, not {batch_size}")
            for item in answer["batch"]:
                output.write(json.dumps(line(item, batches, group_size)) + "\n")
            output.flush()
            batches += 1


if __name__ == "__main__":
    server, path, batch, group = sys.argv[1:]
    with open(path, "a", encoding="utf-8") as file:
        consume(server, file, int(batch), int(group))
