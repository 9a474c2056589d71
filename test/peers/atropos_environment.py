"""An environment of Atropos, with the client code of `atroposlib` itself, posting to a server: `<url> <groups>`.

    python atropos_environment.py <url> <groups>

Registers as BaseEnv does, asks for its status before each group, posts the groups one by one and the last two as a
list. Prints what it was told, as JSON.
"""

import asyncio
import json
import sys

import atroposlib.envs.base as base

GROUP_SIZE = 4


class TheirEnv(base.BaseEnv):
    """All that BaseEnv leaves open; none of it is asked for here."""

    name = "theirs"

    async def get_next_item(self):
        return None

    async def evaluate(self, *args, **kwargs):
        return None

    async def collect_trajectory(self, item):
        return None, []

    async def setup(self):
        return None


class NoTokenizer:
    """In place of one that would be fetched; what it decodes is only kept for a dashboard."""

    @classmethod
    def from_pretrained(cls, _name):
        return cls

    @staticmethod
    def decode(_ids):
        return ""


def group(number):
    # More than a kilobyte, so that the client compresses it.
    prompt = list(range(1000, 1200))
    tokens = [[number, *prompt, 5 + member, 7] for member in range(GROUP_SIZE)]
    untrained = len(prompt) + 1
    return base.ScoredDataGroup(
        tokens=tokens,
        masks=[[-100] * untrained + row[untrained:] for row in tokens],
        scores=[float(member % 2) for member in range(GROUP_SIZE)],
        inference_logprobs=[[1.0] * untrained + [-0.5, -0.25] for _ in tokens],
        messages=[[{"role": "user", "content": "hello"}] for _ in tokens],
        group_overrides={"group_id": f"theirs-{number}", "group_size": GROUP_SIZE},
    )


async def main(url, groups):
    base.AutoTokenizer = NoTokenizer
    config = base.BaseEnvConfig(
        group_size=GROUP_SIZE,
        rollout_server_url=url,
        use_wandb=False,
        wandb_name="theirs",
        max_token_length=4096,
        total_steps=100,
    )
    models = [base.APIServerConfig(model_name="none", base_url="http://127.0.0.1:9/v1", api_key="x")]
    env = TheirEnv(config, models, testing=True)
    await env.register_env()
    await env.get_server_info()
    for number in range(groups - 2):
        await env.get_status()
        await env.handle_send_to_api(group(number))
    await env.handle_send_to_api([group(number) for number in range(groups - 2, groups)])
    await env.get_status()
    told = {"env_id": env.env_id, "name": env.wandb_prepend, "batch_size": config.batch_size, "status": env.status_dict}
    print(json.dumps(told))


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
