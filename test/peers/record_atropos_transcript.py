"""What the real Atropos server answers to atropos-transcript-steps.json, as JSON on standard output.

    python record_atropos_transcript.py > ../sinks/listen/fixtures/atropos-transcript.json
"""

import http.client
import json
import pathlib
import socket
import subprocess
import sys
import time

STEPS = pathlib.Path(__file__).with_name("atropos-transcript-steps.json")


def env(name, group_size, weight):
    return {"max_token_length": 64, "desired_name": name, "weight": weight, "group_size": group_size}


def group(size, first, env_id, **more):
    return {
        "tokens": [[first, 5, 9 + i] for i in range(size)],
        "masks": [[-100, -100, 9 + i] for i in range(size)],
        "scores": [float(i % 2) for i in range(size)],
        "inference_logprobs": [[1.0, 1.0, -0.25 * (i + 1)] for i in range(size)],
        "env_id": env_id,
        **more,
    }


MESSAGES = [[{"role": "user", "content": "a"}, {"role": "assistant", "content": None}]] * 4
BODIES = {
    "trainer": {
        "wandb_group": "group",
        "wandb_project": "project",
        "batch_size": 8,
        "max_token_len": 512,
        "checkpoint_dir": "/checkpoints",
        "save_checkpoint_interval": 10,
        "starting_step": 5,
        "num_steps": 100,
    },
    "env-w": env("w", 4, 1.0),
    "env-v": env("v", 2, 0.5),
    "group-of-4": group(
        4,
        1,
        0,
        messages=MESSAGES,
        generation_params={"temperature": 1.0},
        overrides=[{"set_advantage_to_zero": True}, {}, {}, {}],
        group_overrides={"group_id": "g1"},
        dropped_because_nobody_knows_it=1,
    ),
    "first-2": group(2, 2, 0),
    "second-2": group(2, 3, 0),
    "list": [group(4, 4, 1), group(2, 5, 1), group(2, 6, 2), group(2, 7, 2)],
    "message-without-role": group(1, 8, 0, messages=[[{"content": "a"}]]),
}


def ask(port, step):
    # A connection for each: the server drops one after a 500.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    body = step.get("body")
    body = BODIES[body] if isinstance(body, str) else body
    data = None if body is None else json.dumps(body)
    headers = {} if body is None else {"Content-Type": "application/json"}
    connection.request(step["method"], step["path"], body=data, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    kind = answer.getheader("content-type")
    connection.close()
    decoded = json.loads(text) if kind == "application/json" else text
    if step["path"] == "/register":
        assert 0 <= decoded["uuid"] < 2**128
        decoded = {"uuid": "<128 bits>"}
    return {
        "method": step["method"],
        "path": step["path"],
        "body": body,
        "status": answer.status,
        "answer": decoded,
    }


def wait_for(port):
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def main():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "atroposlib.api.server:app", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        json.dump([ask(port, step) for step in json.loads(STEPS.read_text())], sys.stdout, indent=1)
        print()
    finally:
        server.kill()
        server.wait()


main()
