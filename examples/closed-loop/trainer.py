"""Trains the policy on batches from a trainer API as Atropos has it: `longrun serve --listen`, or Atropos' own server.

All it knows of the rollouts is what the API sends. A step: take a batch, let the policy server check its stretches
against what was sampled there, move the weights along the clipped policy gradient, hand the new weights out.
"""

import argparse
import base64
import json
import time
import urllib.error
import urllib.request

import numpy as np
from policy import Policy

UNTRAINED = -100
PATIENCE_SEC = 120


def call(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def patiently(what, attempt, wait_sec=0.2):
    """The first answer of `attempt` that is not None; a peer that is not there yet, or away, is waited for."""
    last, until = "no answer", time.monotonic() + PATIENCE_SEC
    while time.monotonic() < until:
        try:
            answer = attempt()
            if answer is not None:
                return answer
        except (urllib.error.URLError, ConnectionError) as error:
            last = str(error)
        time.sleep(wait_sec)
    raise SystemExit(f"{what}: nothing within {PATIENCE_SEC} s ({last})")


def advantages_of(item, options):
    """One per token, as sent; where none are, the item's scores in units of their deviation."""
    sent = item.get("advantages")
    if sent is None:
        scores = np.array(item["scores"])
        centred = (scores - scores.mean()) / max(scores.std(), 1e-8)
        sent = [np.full(len(ids), one) for ids, one in zip(item["tokens"], centred, strict=True)]
    overrides = item.get("overrides") or [{}] * len(sent)
    sign = -1.0 if options.break_ == "sign" else 1.0
    return [
        sign * np.array(one) * (not own.get("set_advantage_to_zero")) for one, own in zip(sent, overrides, strict=True)
    ]


def sequences_of(item, options):
    """(ids, trained positions, sampled log-probabilities, advantages) of each sequence of an item."""
    rows = zip(item["tokens"], item["masks"], item["inference_logprobs"], advantages_of(item, options), strict=True)
    for ids, labels, logprobs, advantages in rows:
        if not len(ids) == len(labels) == len(logprobs) == len(advantages):
            raise SystemExit("a sequence has arrays of different lengths")
        if options.break_ == "masks":
            # All that says what is trained slips by one: each label stands where the token after it is.
            labels, logprobs = [UNTRAINED, *labels[:-1]], [1.0, *logprobs[:-1]]
            advantages = np.concatenate([[0.0], advantages[:-1]])
        yield ids, [at for at, label in enumerate(labels) if label != UNTRAINED], logprobs, advantages


def stretches_of(ids, positions, logprobs):
    """Trained tokens without a gap between them, and what stood before them."""
    starts = [at for at in positions if at - 1 not in positions]
    for start in starts:
        end = start
        while end in positions:
            end += 1
        yield {"prompt_token_ids": ids[:start], "token_ids": ids[start:end], "logprobs": logprobs[start:end]}


def step(policy, sequences, temperature, options):
    """One update; answers how far a log-probability is from that at its sampling, at most."""
    gradient, change = np.zeros_like(policy.weights), 0.0
    for ids, positions, logprobs, advantages in sequences:
        for at in positions:
            now = policy.log_probability(ids, at, temperature)
            if not np.isfinite(now):
                continue
            change = max(change, abs(now - logprobs[at]))
            ratio, advantage = np.exp(now - logprobs[at]), advantages[at]
            clipped = advantage * (ratio - 1) > abs(advantage) * options.clip
            if advantage != 0 and not clipped:
                policy.add_gradient(gradient, ids, at, ratio * advantage, temperature)
    policy.weights += options.learning_rate * gradient / max(1, len(sequences))
    return float(change)


def train(options):
    policy, known = Policy(), set()
    state = patiently("the policy server", lambda: call(f"{options.policy}/weights"))
    policy.weights = np.frombuffer(base64.b64decode(state["weights"])).reshape(policy.weights.shape).copy()
    patiently("the trainer API", lambda: call(f"{options.api}/register", registration(options)))
    for number in range(1, options.steps + 1):
        batch = patiently("a batch", lambda: call(f"{options.api}/batch")["batch"] or None)
        items = [item for item in batch if is_new(item, known)]
        sequences = [sequence for item in items for sequence in sequences_of(item, options)]
        stretches = [stretch for ids, at, logprobs, _ in sequences for stretch in stretches_of(ids, at, logprobs)]
        ledger = call(f"{options.policy}/ledger/check", {"stretches": stretches})
        change = step(policy, sequences, temperature_of(items), options)
        weights = base64.b64encode(policy.weights.tobytes()).decode()
        call(f"{options.policy}/weights", {"version": state["version"] + number, "weights": weights})
        report(number, items, state["version"] + number - 1, change, ledger, options)


def registration(options):
    return {
        "wandb_group": "closed-loop",
        "wandb_project": "closed-loop",
        "batch_size": options.batch_size,
        "max_token_len": 4096,
        "checkpoint_dir": "",
        "save_checkpoint_interval": 0,
        "starting_step": 0,
        "num_steps": options.steps,
    }


def is_new(item, known):
    """What comes a second time, because an answer was lost on its way, is trained once."""
    told = item.get("group_overrides") or {}
    key = (told.get("group_id"), told.get("item", 0))
    repeated = key in known and key[0] is not None
    known.add(key)
    return not repeated


def temperature_of(items):
    return next((item["generation_params"]["temperature"] for item in items if item["generation_params"]), 1.0)


def report(number, items, version, change, ledger, options):
    """A line for people, and one of JSON. `version`: of the weights before this step."""
    told = [item.get("group_overrides") or {} for item in items]
    # A group of several items has the same scores in each.
    scores = [score for item, own in zip(items, told, strict=True) if not own.get("item") for score in item["scores"]]
    sampled_by = sorted({int(each) for own in told for each in own.get("policy_versions", [])})
    lag = version - sampled_by[0] if sampled_by else None
    row = {
        "step": number,
        "success": float(np.mean(scores)) if scores else None,
        "rollouts": len(scores),
        "sampled_by": sampled_by,
        "lag": lag,
        "largest_change": change,
        "ledger": ledger,
    }
    if options.output:
        with open(options.output, "a") as file:
            file.write(json.dumps(row) + "\n")
    success = "  –  " if row["success"] is None else f"{100 * row['success']:3.0f} %"
    known = f"{ledger['trained']} stretches trained, {ledger['mismatches']} of them never sampled"
    print(f"step {number:3}  success {success}  lag {lag}  {known}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="trainer API")
    parser.add_argument("--policy", default="http://127.0.0.1:8100", help="policy server")
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--batch-size", type=int, default=16, help="sequences in a batch")
    parser.add_argument("--learning-rate", type=float, default=10.0)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--output", help="file for a line of JSON per step")
    parser.add_argument("--break", dest="break_", choices=["masks", "sign"], help="learn wrongly, to see it noticed")
    train(parser.parse_args())
