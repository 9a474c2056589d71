"""Serves the policy over the OpenAI-compatible chat API, with the ids and log-probabilities of what it samples.

It takes new weights from a trainer (`POST /weights`), and keeps a ledger of every answer: `POST /ledger/check` says
of each stretch that a trainer is about to train whether exactly those ids, after exactly those ids, with exactly
those log-probabilities, were sampled here.
"""

import argparse
import base64
import json
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from policy import ASSISTANT, DONE, END, SAYS, TOOL_ENDS, TOOLS, USER, USER_ENDS, Policy, decode, encode

MODEL, MOST_TOKENS = "tool-chooser", 4


def text_of(content):
    return "".join(part.get("text", "") for part in content) if isinstance(content, list) else content or ""


def render(messages):
    """A conversation as token ids, up to where the next answer begins."""
    ids = []
    for message in messages:
        text = text_of(message.get("content"))
        if message["role"] == "assistant":
            commands = [json.loads(call["function"]["arguments"])["command"] for call in message.get("tool_calls") or []]
            said = ([DONE] if text else []) + [TOOLS.index(command.split()[-1]) for command in commands]
            ids += [ASSISTANT, *said, END]
        elif message["role"] == "tool":
            ids += [*encode(text), TOOL_ENDS]
        else:
            ids += [USER, *encode(text), USER_ENDS] if message["role"] == "user" else encode(text)
    return [*ids, ASSISTANT]


class Sampler:
    """The policy, its version, and the ledger of what it said."""

    def __init__(self, seed):
        self.policy, self.version, self.seed = Policy(), 0, seed
        self.answers, self.ledger, self.counts = 0, {}, {"sampled": 0, "trained": 0, "mismatches": 0}
        self.lock = threading.Lock()

    def answer(self, request):
        prompt, temperature = render(request["messages"]), request.get("temperature") or 1.0
        with self.lock:
            self.answers += 1
            # The same request, sent again, is answered the same by the same weights.
            own = request.get("seed", self.answers)
            chance = np.random.default_rng([self.seed, own, zlib.crc32(repr(prompt).encode())])
            ids, logprobs = [], []
            while len(ids) < min(MOST_TOKENS, request.get("max_tokens") or MOST_TOKENS) and END not in ids:
                each = self.policy.log_probabilities(prompt + ids, len(prompt) + len(ids), temperature)
                ids.append(int(chance.choice(len(SAYS), p=np.exp(each))))
                logprobs.append(float(each[ids[-1]]))
            self.ledger[tuple(prompt), tuple(ids), tuple(logprobs)] = self.version
            self.counts["sampled"] += 1
            return self.answers, prompt, ids, logprobs, self.version

    def check(self, stretches):
        with self.lock:
            keys = [tuple(tuple(s[name]) for name in ("prompt_token_ids", "token_ids", "logprobs")) for s in stretches]
            wrong = [stretch for stretch, key in zip(stretches, keys, strict=True) if key not in self.ledger]
            self.counts["trained"] += len(keys)
            self.counts["mismatches"] += len(wrong)
            return {**self.counts, "wrong": wrong[:3]}

    def state(self):
        with self.lock:
            weights = base64.b64encode(self.policy.weights.tobytes()).decode()
            return {"version": self.version, "weights": weights}

    def replace(self, version, weights):
        with self.lock:
            flat = np.frombuffer(base64.b64decode(weights))
            self.policy.weights = flat.reshape(self.policy.weights.shape)
            self.version = version
            return {"version": version}


def completion(answered):
    """The answer in the form of vLLM's, when it is asked for `logprobs` and `return_token_ids`."""
    number, prompt, ids, logprobs, version = answered
    arguments = [json.dumps({"command": f"sh /app/tools.sh {TOOLS[token]}"}) for token in ids if token < len(TOOLS)]
    calls = [
        {"id": f"call_{number}_{i}", "type": "function", "function": {"name": "terminal", "arguments": text}}
        for i, text in enumerate(arguments)
    ]
    message = {"role": "assistant", "content": "done" if DONE in ids else None}
    ended = "length" if ids[-1] != END else "tool_calls" if calls else "stop"
    content = [{"token": decode(token), "logprob": logprob} for token, logprob in zip(ids, logprobs, strict=True)]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "prompt_token_ids": prompt,
        "choices": [
            {
                "index": 0,
                "message": {**message, "tool_calls": calls} if calls else message,
                "finish_reason": ended,
                "logprobs": {"content": content},
                "token_ids": ids,
                "sequence_id": f"sequence-{number}",
            }
        ],
        "usage": {"prompt_tokens": len(prompt), "completion_tokens": len(ids), "total_tokens": len(prompt) + len(ids)},
        "policy_version": str(version),
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Header and body in one write and without delay: each packet more would wait 40 ms for an acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        models = {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
        routes = {"/v1/models": lambda: models, "/weights": sampler.state, "/ledger": lambda: sampler.counts}
        self.serve(routes.get(self.path))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "null")
        routes = {
            "/v1/chat/completions": lambda: completion(sampler.answer(body)),
            "/weights": lambda: sampler.replace(body["version"], body["weights"]),
            "/ledger/check": lambda: sampler.check(body["stretches"]),
        }
        self.serve(routes.get(self.path))

    def serve(self, route):
        status, answer = 404, {"error": {"message": f"nothing at {self.path}"}}
        try:
            if route:
                status, answer = 200, route()
        except (KeyError, TypeError, ValueError) as error:
            status, answer = 400, {"error": {"message": repr(error)}}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        if "policy_version" in answer:
            self.send_header("x-policy-version", answer["policy_version"])
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8100, help="0: a free one")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sampler = Sampler(options.seed)
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
