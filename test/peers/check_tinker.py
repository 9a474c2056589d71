"""Whether Tinker's SDK takes our datums: `check_tinker.py DATUMS.jsonl TRAJECTORIES.jsonl importance_sampling|cross_entropy`.

Each datum goes through the JSON model of the SDK (which knows no other keys), its public types, and its encoder
for the wire. What the datums hold is compared with a conversion of the trajectories of its own.
"""

import json
import sys

import numpy as np
import tinker
from tinker import types
from tinker.proto.request_conv import forward_backward_request_to_proto
from tinker.types._pydantic_types.datum import Datum as JsonDatum


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def spans(runs):
    kinds = {"prompt_tokens": types.PromptProvenanceSpan, "sampled_tokens": types.SampledProvenanceSpan}
    return [kinds[kind](**fields) for run in runs for kind, fields in run.items()]


def load(line):
    """The datum of a line: the JSON model has no spans, `with_provenance` checks that they tile."""
    line = dict(line)
    model_input_spans = line.pop("model_input_spans", None)
    loss_fn_input_spans = line.pop("loss_fn_input_spans", None)
    checked = JsonDatum.model_validate(line)
    datum = types.Datum(
        model_input=checked.model_input,
        loss_fn_inputs={
            name: types.TensorData(data=tensor.data, dtype=tensor.dtype, shape=tensor.shape)
            for name, tensor in checked.loss_fn_inputs.items()
        },
    )
    for name, tensor in datum.loss_fn_inputs.items():
        values = tensor.to_numpy()
        assert values.shape == (datum.model_input.length,), f"{name} has the shape {values.shape}"
        assert np.isfinite(values).all(), f"{name} is not finite"
    if model_input_spans is None and loss_fn_input_spans is None:
        return datum
    return datum.with_provenance(model_input=spans(model_input_spans), loss_fn_inputs=spans(loss_fn_input_spans))


def stretches(transitions):
    """Transitions by training sequence: a new one where an observation does not begin with all before it."""
    found = []
    for transition in transitions:
        before = found[-1][-1] if found else None
        context = before["ob"] + before["ac"] if before else None
        if context is None or transition["ob"][: len(context)] != context:
            found.append([])
        found[-1].append(transition)
    return found


def expected(trajectories):
    """Inputs, targets, log-probabilities and centred rewards by position, for each datum in order."""
    means = {}
    for trajectory in trajectories:
        means.setdefault(trajectory["group"], []).append(trajectory["reward"])
    for trajectory in trajectories:
        for stretch in stretches(trajectory["transitions"]):
            ids, logprobs, trained = [], [], []
            for transition in stretch:
                new = transition["ob"][len(ids) :]
                sampled = transition["ac"]
                ids += new + sampled
                logprobs += [0.0] * len(new) + (transition["logprobs"] or [0.0] * len(sampled))
                trained += [0.0] * len(new) + [0.0 if transition["masked"] else 1.0] * len(sampled)
            rewards = means[trajectory["group"]]
            advantage = 0.0 if None in rewards else trajectory["reward"] - sum(rewards) / len(rewards)
            yield ids, logprobs[1:], trained[1:], advantage


def compare(datum, ids, logprobs, trained, advantage):
    assert datum.model_input.to_ints() == ids[:-1]
    tensors = {name: tensor.to_numpy() for name, tensor in datum.loss_fn_inputs.items()}
    assert tensors.pop("target_tokens").tolist() == ids[1:]
    trained = np.array(trained, dtype=np.float32)
    if "weights" in tensors:
        assert np.array_equal(tensors.pop("weights"), trained)
    else:
        np.testing.assert_allclose(tensors.pop("logprobs"), np.array(logprobs, dtype=np.float32))
        np.testing.assert_allclose(tensors.pop("advantages"), trained * np.float32(advantage), rtol=1e-6)
    assert not tensors, f"nothing expects {list(tensors)}"


datums = [load(line) for line in read(sys.argv[1])]
conversions = list(expected(read(sys.argv[2])))
assert len(datums) == len(conversions), f"{len(datums)} datums, {len(conversions)} sequences"
for datum, conversion in zip(datums, conversions):
    compare(datum, *conversion)
request = types.ForwardBackwardRequest(
    forward_backward_input=types.ForwardBackwardInput(data=datums, loss_fn=sys.argv[3]),
    model_id="model",
    seq_id=1,
)
sent = forward_backward_request_to_proto(request)
assert len(sent.data) == len(datums)
print(
    json.dumps(
        {
            "version": tinker.__version__,
            "datums": len(datums),
            "with_provenance": sum(len(datum.loss_fn_input_spans) > 0 for datum in sent.data),
        }
    )
)
