"""What a trainer of Atropos takes for granted of an item, checked: its server checks none of it."""

import math

UNTRAINED_LABEL = -100
UNTRAINED_LOGPROB = 1.0


def check_item(item, group_size):
    """Raises ValueError naming the first thing that is wrong with an item of a batch."""
    lists = ["tokens", "masks", "scores", "inference_logprobs", "overrides"]
    for name in lists + (["advantages"] if item["advantages"] is not None else []):
        if item[name] is None or len(item[name]) != group_size:
            raise ValueError(f"{name} has not {group_size} entries")
    for score in item["scores"]:
        if not math.isfinite(score):
            raise ValueError(f"the score {score}")
    trained = 0
    for i in range(group_size):
        filler = item["overrides"][i].get("set_advantage_to_zero", False)
        count = check_sequence(item, i)
        if (count == 0) != filler:
            raise ValueError(f"entry {i} trains {count} tokens, and its advantage is {'zero' if filler else 'used'}")
        trained += count
    if trained == 0:
        raise ValueError("nothing is trained")
    known = item["group_overrides"]
    if known["group_size"] != group_size:
        raise ValueError(f"group_overrides say {known['group_size']} entries")
    mean = sum(item["scores"]) / group_size
    if abs(mean - known["mean"]) > 1e-9:
        raise ValueError(f"the scores have the mean {mean}, their group {known['mean']}")
    return trained


def check_sequence(item, i):
    """How many tokens of an entry are trained."""
    tokens, labels, logprobs = (item[name][i] for name in ("tokens", "masks", "inference_logprobs"))
    if len(tokens) == 0:
        raise ValueError(f"entry {i} has no tokens")
    if not len(tokens) == len(labels) == len(logprobs):
        raise ValueError(f"entry {i} has {len(tokens)} tokens, {len(labels)} labels, {len(logprobs)} logprobs")
    if labels[0] != UNTRAINED_LABEL:
        raise ValueError(f"entry {i} trains its first token, which nothing predicts")
    for at, (token, label, logprob) in enumerate(zip(tokens, labels, logprobs)):
        if not isinstance(token, int) or token < 0:
            raise ValueError(f"entry {i} has the token {token}")
        if not math.isfinite(logprob):
            raise ValueError(f"entry {i} has the log-probability {logprob}")
        if label == UNTRAINED_LABEL:
            if logprob != UNTRAINED_LOGPROB:
                raise ValueError(f"entry {i}, token {at}: untrained, with the log-probability {logprob}")
        elif label != token:
            raise ValueError(f"entry {i}, token {at}: label {label} for token {token}")
        elif logprob > 0.01:
            raise ValueError(f"entry {i}, token {at}: trained, with the log-probability {logprob}")
    return sum(label != UNTRAINED_LABEL for label in labels)
