"""Computes the advantages of batches again, by numpy and from the papers' formulas, and compares.

Reads {"batches": [{"groups", "options", "found": {estimator: advantages}}]}; prints how many values were compared
and the first differences.
"""

import json
import sys

import numpy as np

TOLERANCE = 1e-7


def spread(values):
    """Mean and population deviation; none where the values differ by rounding only."""
    array = np.asarray(values, dtype=float)
    if array.size == 0:
        return 0.0, 0.0
    deviation = array.std()
    return array.mean(), 0.0 if deviation <= 1e-9 * np.abs(array).max() else deviation


def scored(group):
    return [member for member in group["members"] if member["reward"] is not None]


def rewards(group):
    return np.array([member["reward"] for member in scored(group)], dtype=float)


def step_rewards(member):
    given = [step["reward"] for step in member["steps"]]
    if any(reward is not None for reward in given):
        return np.array([0.0 if reward is None else reward for reward in given])
    values = np.zeros(len(given))
    if len(given):
        values[-1] = member["reward"]
    return values


def returns(values, gamma):
    powers = gamma ** np.arange(len(values))
    return np.array([(values[t:] * powers[: len(values) - t]).sum() for t in range(len(values))])


def constant(group, values):
    """The same value at all steps of a member."""
    values = iter(values)
    return [
        None if member["reward"] is None else np.full(len(member["steps"]), next(values)) for member in group["members"]
    ]


def grpo(group, options):
    found = rewards(group)
    mean, deviation = spread(found)
    return constant(group, (found - mean) / deviation if deviation else np.zeros_like(found))


def dr_grpo(group, options):
    found = rewards(group)
    return constant(group, found - found.mean() if found.size else found)


def rloo(group, options):
    found = rewards(group)
    if found.size < 2:
        return constant(group, np.zeros_like(found))
    return constant(group, found - (found.sum() - found) / (found.size - 1))


def opo(group, options):
    found = rewards(group)
    lengths = np.array([sum(step["tokens"] for step in member["steps"]) for member in scored(group)], dtype=float)
    if found.size < 2:
        return constant(group, np.zeros_like(found))
    if lengths.sum() == 0:
        lengths = np.ones_like(lengths)
    return constant(group, found - np.average(found, weights=lengths))


def maxrl(group, options):
    found = rewards(group)
    mean = found.mean() if found.size else 0.0
    return constant(group, (found - mean) / mean if mean > 0 else np.zeros_like(found))


def passk(group, options):
    found = rewards(group)
    values = np.zeros_like(found)
    if found.size > 1:
        for i in range(found.size):
            values[i] = found.max() - np.delete(found, i).max()
    return constant(group, values)


def mc_return(group, options):
    return [
        None if member["reward"] is None else returns(step_rewards(member), options["gamma"])
        for member in group["members"]
    ]


def process_supervision(group, options):
    members = scored(group)
    mean, deviation = spread(np.concatenate([step_rewards(member) for member in members]) if members else [])
    result = []
    for member in group["members"]:
        if member["reward"] is None:
            result.append(None)
            continue
        raw = step_rewards(member)
        result.append(returns((raw - mean) / deviation if deviation else np.zeros_like(raw), options["gamma"]))
    return result


def gigpo(group, options):
    episode = grpo(group, options)
    all_returns = mc_return(group, options)
    anchors = {}
    for member, values in zip(group["members"], all_returns):
        if values is None:
            continue
        for step, value in zip(member["steps"], values):
            if step["anchor"] is not None:
                anchors.setdefault(step["anchor"], []).append(value)
    result = []
    for member, values, base in zip(group["members"], all_returns, episode):
        if values is None:
            result.append(None)
            continue
        steps = []
        for step, value, advantage in zip(member["steps"], values, base):
            mean, deviation = spread(anchors.get(step["anchor"], []))
            steps.append(advantage + ((value - mean) / deviation if deviation else 0.0))
        result.append(np.array(steps))
    return result


def token_values(member, gamma):
    """Returns of every token, step by step, the reward of a step at its last token."""
    raw = step_rewards(member)
    flat, bounds = [], []
    for step, reward in zip(member["steps"], raw):
        start = len(flat)
        flat.extend([0.0] * step["tokens"])
        if step["tokens"]:
            flat[-1] = reward
        bounds.append((start, len(flat)))
    values = returns(np.array(flat), gamma)
    return [values[start:end] for start, end in bounds]


def whitened(groups, raw):
    tokens = [step for members in raw for steps in members if steps is not None for step in steps]
    mean, deviation = spread(np.concatenate(tokens) if tokens else [])
    standard = lambda step: (step - mean) / deviation if deviation else np.zeros_like(step)
    return [[None if steps is None else [standard(step) for step in steps] for steps in members] for members in raw]


def reinforce(groups, options):
    raw = [
        [None if m["reward"] is None else token_values(m, options["gamma"]) for m in group["members"]] for group in groups
    ]
    return whitened(groups, raw)


def reinforce_baseline(groups, options):
    raw = []
    for group in groups:
        found = rewards(group)
        mean = found.mean() if found.size else 0.0
        raw.append(
            [
                None
                if member["reward"] is None
                else [np.full(step["tokens"], member["reward"] - mean) for step in member["steps"]]
                for member in group["members"]
            ]
        )
    return whitened(groups, raw)


ONE_GROUP = {
    "grpo": grpo,
    "dr-grpo": dr_grpo,
    "rloo": rloo,
    "opo": opo,
    "maxrl": maxrl,
    "passk": passk,
    "mc-return": mc_return,
    "process-supervision": process_supervision,
    "gigpo": gigpo,
}
WHOLE_BATCH = {"reinforce++": reinforce, "reinforce++-baseline": reinforce_baseline}


def compare(name, steps, found, expected):
    """Yields (found, expected) of every value."""
    if expected is None or found is None:
        if (expected is None) != (found is None):
            yield found, expected
        return
    for step, mine, theirs in zip(steps, found, expected):
        theirs = np.atleast_1d(theirs)
        if name in WHOLE_BATCH:
            mine = np.full(step["tokens"], mine) if np.isscalar(mine) else np.asarray(mine)
        for pair in zip(np.atleast_1d(mine), theirs):
            yield pair


def main():
    compared, different = 0, []
    for at, batch in enumerate(json.load(sys.stdin)["batches"]):
        groups, options = batch["groups"], batch["options"]
        for name, found in batch["found"].items():
            if name in WHOLE_BATCH:
                expected = WHOLE_BATCH[name](groups, options)
            else:
                expected = [ONE_GROUP[name](group, options) for group in groups]
            for g, group in enumerate(groups):
                for m, member in enumerate(group["members"]):
                    for mine, theirs in compare(name, member["steps"], found[g][m], expected[g][m]):
                        compared += 1
                        if mine is None or theirs is None or not abs(mine - theirs) <= TOLERANCE * max(1, abs(theirs)):
                            different.append([at, name, g, m, str(mine), str(theirs)])
    print(json.dumps({"compared": compared, "different": different[:10]}))


main()
