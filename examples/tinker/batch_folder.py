"""The folder of `longrun serve --tinker DIR`, from the trainer's side: batches in, `state.json` out."""

import json
import math
import os
import time
from pathlib import Path

from tinker import types

POLL_SECONDS = 1.0
SPANS = {"prompt_tokens": types.PromptProvenanceSpan, "sampled_tokens": types.SampledProvenanceSpan}
RL_INPUTS = {"target_tokens": "int64", "logprobs": "float32", "advantages": "float32"}
LARGEST_FLOAT32 = 3.4028235e38


class BadBatch(Exception):
    """A batch that must not be trained on."""


class BatchFolder:
    def __init__(self, path):
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)

    def state(self):
        """What an earlier trainer wrote, or None."""
        try:
            return json.loads((self.path / "state.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None

    def write_state(self, state):
        """Replaces `state.json` in one step: a reader sees the old one or the new one, never half of it."""
        temp = self.path / ".state.json.partial"
        with open(temp, "w", encoding="utf-8") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temp, self.path / "state.json")

    def file_of(self, number):
        return self.path / f"batch_{number:06d}.jsonl"

    def wait_for(self, number):
        """The batch's datums once it is there; None when the run has ended without it."""
        while True:
            # Looked at first: a batch that came between the two looks would be missed the other way round.
            ended = self._manifest().get("complete") is True
            if self.file_of(number).exists():
                return read_batch(self.file_of(number))
            if ended:
                return None
            time.sleep(POLL_SECONDS)

    def _manifest(self):
        try:
            return json.loads((self.path / "manifest.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}


def read_batch(path):
    """Every datum of a file, or BadBatch: the SDK itself takes NaN and float token ids without a word."""
    with open(path, encoding="utf-8") as lines:
        return [read_datum(line, f"{path.name}:{number}") for number, line in enumerate(lines, 1)]


def read_datum(line, place):
    value = json.loads(line)
    tokens = [token for chunk in value["model_input"]["chunks"] for token in chunk["tokens"]]
    inputs = value["loss_fn_inputs"]
    found = {name: tensor["dtype"] for name, tensor in inputs.items()}
    if found != RL_INPUTS:
        raise BadBatch(f"{place} has the inputs {found}, wanted are {RL_INPUTS}")
    for name, tensor in inputs.items():
        if len(tensor["data"]) != len(tokens):
            raise BadBatch(f"{place} has {len(tokens)} tokens, and {len(tensor['data'])} {name}")
        check_numbers(tensor, f"{place}: {name}")
    check_numbers({"data": tokens, "dtype": "int64"}, f"{place}: tokens")
    datum = types.Datum(
        model_input=types.ModelInput.from_ints(tokens),
        loss_fn_inputs={name: types.TensorData(**tensor) for name, tensor in inputs.items()},
    )
    if "model_input_spans" not in value:
        return datum
    return datum.with_provenance(
        model_input=spans(value["model_input_spans"]), loss_fn_inputs=spans(value["loss_fn_input_spans"])
    )


def check_numbers(tensor, place):
    for number in tensor["data"]:
        if tensor["dtype"] == "int64":
            if not isinstance(number, int) or number < 0:
                raise BadBatch(f"{place}: {number} is no token id")
        elif not math.isfinite(number) or abs(number) > LARGEST_FLOAT32:
            raise BadBatch(f"{place}: {number} is not finite")


def spans(runs):
    return [SPANS[kind](**fields) for run in runs for kind, fields in run.items()]
