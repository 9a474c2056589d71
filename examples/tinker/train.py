"""Trains a LoRA on Tinker from the batches that `longrun serve --tinker DIR` writes.

    python train.py DIR --base-model Qwen/Qwen3-8B --rank 32 --loss importance_sampling --lr 4e-5

One step a batch: forward and backward, optimiser, weights for the sampler, and only then `state.json`, which tells the
run the new policy version and where to sample from it. Ended at any point, the same command goes on with the last
batch that `state.json` does not name, from the checkpoint that it does.
"""

import argparse
import json
import sys

import tinker
from tinker import types

from batch_folder import BadBatch, BatchFolder


def main():
    options = parse()
    folder = BatchFolder(options.folder)
    service = tinker.ServiceClient(user_metadata={"trainer": "longrun/examples/tinker"})
    state = folder.state()
    client = open_client(service, options, state)
    if state is None:
        state = publish(folder, client, 0, options)
    say(event="started", model=client.model_id, resumed_at=state["consumed"], policy_version=state["policy_version"])
    for number in range(state["consumed"] + 1, sys.maxsize):
        if options.steps is not None and number > options.steps:
            break
        datums = folder.wait_for(number)
        if datums is None:
            break
        metrics = train(client, datums, options)
        state = publish(folder, client, number, options)
        say(event="step", batch=number, datums=len(datums), policy_version=state["policy_version"], **metrics)
    say(event="ended", batches=state["consumed"])


def open_client(service, options, state):
    """A new LoRA, or the one that an earlier trainer left, with its optimiser's state."""
    if state is None:
        return service.create_lora_training_client(base_model=options.base_model, rank=options.rank).result()
    return service.create_training_client_from_state_with_optimizer(state["checkpoint"]).result()


def train(client, datums, options):
    """One optimiser step. Both requests are sent before either is waited for, as the service likes it."""
    gradients = client.forward_backward(datums, options.loss, loss_config(options))
    step = client.optim_step(types.AdamParams(learning_rate=options.lr, beta1=0.9, beta2=0.95, eps=1e-8))
    metrics = gradients.result().metrics
    step.result()
    return {"loss": metrics.get("loss:sum")}


def loss_config(options):
    if options.loss != "ppo":
        return None
    return {"clip_low_threshold": 1 - options.clip, "clip_high_threshold": 1 + options.clip}


def publish(folder, client, number, options):
    """Saves the weights of a step, then says so. `checkpoint` is for this program; the run ignores it."""
    version = f"step-{number:06d}"
    requests = [client.save_state(version), client.save_weights_for_sampler(version)]
    checkpoint, sampler = [request.result().path for request in requests]
    model = options.sample_from or sampler
    state = {"policy_version": version, "model": model, "consumed": number, "checkpoint": checkpoint}
    folder.write_state(state)
    return state


def say(**fields):
    print(json.dumps(fields), flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="what --tinker of longrun serve names")
    parser.add_argument("--base-model", default="Qwen/Qwen3-8B")
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--loss", choices=["importance_sampling", "ppo"], default="importance_sampling")
    parser.add_argument("--clip", type=float, default=0.2, help="how far ppo lets the ratio go from 1")
    parser.add_argument("--lr", type=float, default=4e-5)
    parser.add_argument("--sample-from", metavar="MODEL", help="what the run asks its endpoint for, if not the new weights")
    parser.add_argument("--steps", type=int, help="stop after this batch; without it, when the run has ended")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except BadBatch as error:
        sys.exit(f"train.py: this batch is not trained on: {error}")
