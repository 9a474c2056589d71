"""A FAKE of Tinker's service, for trying train.py without a key. It trains nothing and has no model.

    python fake_server.py [PORT]      prints its address as JSON; then TINKER_BASE_URL=… TINKER_API_KEY=tml-fake

It answers the requests that train.py's calls make, in the wire format of the `tinker` package (whose own protobuf
classes it uses), and refuses what the service would have to refuse: datums with wrong shapes or kinds of numbers, values
that are not finite, targets that are not the inputs shifted by one, spans that do not tile, requests out of order. The
loss that it answers is what `importance_sampling` gives when the trained policy is the one that sampled: -sum(advantages).
GET /fake has what it was sent, in numbers.
"""

import json
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from tinker.proto import tinker_public_pb2 as wire

INPUTS = {"target_tokens": np.int64, "logprobs": np.float32, "advantages": np.float32}
DTYPES = {wire.DTYPE_INT64: np.int64, wire.DTYPE_FLOAT32: np.float32}
LOSSES = {"importance_sampling", "ppo"}


class Refused(Exception):
    """What the service would answer as the user's error."""


class FakeTinker:
    """Everything that the fake remembers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.calls = Counter()
        self.seen = Counter(steps=0, datums=0, tokens=0, trained_tokens=0, with_provenance=0)
        self.models = {}
        self.checkpoints = {}
        self.futures = {}
        self.refusals = []

    def report(self):
        return {
            "calls": dict(self.calls),
            "seen": dict(self.seen),
            "models": self.models,
            "refusals": self.refusals,
        }

    def promise(self, answer, model_id=None):
        request_id = f"fake-request-{len(self.futures)}"
        self.futures[request_id] = answer
        return {"request_id": request_id, "model_id": model_id}

    def new_model(self, session_id, model_seq_id, base_model, rank):
        model_id = f"{session_id}:train:{model_seq_id}"
        self.models[model_id] = {"base_model": base_model, "rank": rank, "came": [], "gradients": False, "steps": 0}
        return model_id

    def take_turn(self, model_id, seq_id, any_order=False):
        """Requests of a model count from 1. The pieces of a large batch may overtake each other, nothing else may."""
        model = self.models[model_id]
        came = model["came"]
        if seq_id in came or (not any_order and set(range(1, seq_id)) != set(came)):
            raise Refused(f"request {seq_id} of {model_id} came after {came}")
        came.append(seq_id)
        return model

    def create_session(self, _body):
        return {"type": "create_session", "session_id": f"fake-{self.calls['create_session']}"}

    def create_model(self, body):
        model_id = self.new_model(
            body["session_id"], body["model_seq_id"], body["base_model"], body["lora_config"]["rank"]
        )
        return self.promise({"type": "create_model", "model_id": model_id}, model_id)

    def load_weights(self, body):
        saved = self.checkpoints.get(body["path"])
        if saved is None or not body["optimizer"]:
            raise Refused(f"{body['path']} is no checkpoint with an optimiser's state")
        model_id = self.new_model(body["session_id"], body["model_seq_id"], saved["base_model"], saved["rank"])
        self.models[model_id]["steps"] = saved["steps"]
        return self.promise({"type": "load_weights", "path": body["path"], "model_id": model_id}, model_id)

    def get_info(self, body):
        model = self.models[body["model_id"]]
        return {
            "type": "get_info",
            "model_id": body["model_id"],
            "model_data": {"model_name": model["base_model"]},
            "is_lora": True,
            "lora_rank": model["rank"],
        }

    def forward_backward(self, raw):
        request = wire.ForwardBackwardRequest()
        request.ParseFromString(raw)
        model = self.take_turn(request.model_id, request.seq_id, any_order=True)
        if request.loss_fn not in LOSSES:
            raise Refused(f"{request.loss_fn} is none of {sorted(LOSSES)}")
        if len(request.data) == 0:
            raise Refused("a batch without datums")
        losses = [self.check_datum(datum, f"datum {i}") for i, datum in enumerate(request.data)]
        model["gradients"] = True
        output = wire.ForwardBackwardOutput(loss_fn_output_type="ArrayRecord", metrics={"loss:sum": sum(losses)})
        output.loss_fn_outputs.add().num_datums = len(losses)
        return self.promise(output.SerializeToString(), request.model_id)

    def check_datum(self, datum, place):
        tokens = np.concatenate([np.frombuffer(chunk.encoded_text.tokens, np.int32) for chunk in datum.model_input])
        if set(datum.loss_fn_inputs) != set(INPUTS):
            raise Refused(f"{place} has the inputs {sorted(datum.loss_fn_inputs)}, wanted are {sorted(INPUTS)}")
        tensors = {name: tensor_of(datum.loss_fn_inputs[name], dtype) for name, dtype in INPUTS.items()}
        for name, values in tensors.items():
            if values.shape != tokens.shape:
                raise Refused(f"{place}: {name} has the shape {values.shape}, the tokens have {tokens.shape}")
            if not np.isfinite(values).all():
                raise Refused(f"{place}: NonFiniteInTensor: {name}")
        if tokens.min() < 0 or (tensors["target_tokens"][:-1] != tokens[1:]).any():
            raise Refused(f"{place}: target_tokens are not its tokens shifted by one")
        if (tensors["logprobs"] > 0.01).any():
            raise Refused(f"{place}: a log-probability above 0")
        for spans in (datum.model_input_spans, datum.loss_fn_input_spans):
            covered = sum((run.prompt_tokens.length or run.sampled_tokens.length) for run in spans)
            if len(spans) > 0 and covered != len(tokens):
                raise Refused(f"{place}: spans cover {covered} of {len(tokens)} positions")
        self.seen["datums"] += 1
        self.seen["tokens"] += len(tokens)
        self.seen["trained_tokens"] += int(np.count_nonzero(tensors["advantages"]))
        self.seen["with_provenance"] += len(datum.loss_fn_input_spans) > 0
        return -float(tensors["advantages"].sum())

    def optim_step(self, body):
        model = self.take_turn(body["model_id"], body["seq_id"])
        if not model["gradients"]:
            raise Refused("optim_step without gradients")
        if not body["adam_params"]["learning_rate"] > 0:
            raise Refused("the learning rate is not above 0")
        model["gradients"] = False
        model["steps"] += 1
        self.seen["steps"] += 1
        return self.promise({"metrics": {}}, body["model_id"])

    def save_weights(self, body):
        model = self.take_turn(body["model_id"], body["seq_id"])
        path = f"tinker://{body['model_id']}/weights/{body['path']}"
        self.checkpoints[path] = {key: model[key] for key in ("base_model", "rank", "steps")}
        return self.promise({"type": "save_weights", "path": path}, body["model_id"])

    def save_weights_for_sampler(self, body):
        self.take_turn(body["model_id"], body["seq_id"])
        path = f"tinker://{body['model_id']}/sampler_weights/{body['path']}"
        return self.promise({"type": "save_weights_for_sampler", "path": path}, body["model_id"])

    def retrieve_future(self, body):
        return self.futures[body["request_id"]]


ENDPOINTS = {
    "create_session",
    "create_model",
    "load_weights",
    "get_info",
    "forward_backward",
    "optim_step",
    "save_weights",
    "save_weights_for_sampler",
    "retrieve_future",
}
FIXED = {
    "client/config": {"pjwt_auth_enabled": False},
    "client/dynamic_config": {},
    "session_heartbeat": {"type": "session_heartbeat"},
    "telemetry": {"status": "accepted"},
}


def tensor_of(tensor, dtype):
    if DTYPES.get(tensor.dtype) is not dtype:
        raise Refused(f"numbers of the kind {tensor.dtype} where {dtype.__name__} was wanted")
    return np.frombuffer(tensor.dense, dtype).reshape(list(tensor.shape))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Header and body in one packet: else each answer waits for a delayed acknowledgement.
    wbufsize = -1
    fake = FakeTinker()

    def do_GET(self):
        self.answer(self.fake.report() if self.path == "/fake" else {"status": "ok"})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        name = self.path.removeprefix("/api/v1/")
        with self.fake.lock:
            self.fake.calls[name] += 1
            if name in FIXED:
                return self.answer(FIXED[name])
            if name not in ENDPOINTS:
                return self.answer({"detail": f"the fake has no {name}"}, 404)
            try:
                body = raw if name == "forward_backward" else json.loads(raw)
                answer = getattr(self.fake, name)(body)
            except Refused as error:
                self.fake.refusals.append(str(error))
                answer = self.fake.promise({"error": str(error), "category": "user"})
        self.answer(answer)

    def answer(self, value, status=200):
        encoded = isinstance(value, bytes)
        content = value if encoded else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/x-protobuf" if encoded else "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(json.dumps({"fake": True, "base_url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    server.serve_forever()
