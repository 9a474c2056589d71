import { Command, Option } from 'commander';
import type { CliIo } from '../../cli-io.js';
import type { ServeScriptedFlags } from './run.js';

const EXAMPLES = `
It has no weights: which text comes is scripted, and only its spelling is drawn, from a real distribution over the
ids that go on with it. Its models are demo, solver, failing, partly and turns-<n>, each also with -delay-<ms>ms.

  POST /v1/chat/completions   logprobs, top_logprobs, return_token_ids, as vLLM
  POST /v1/completions        prompts of ids too; token_ids and logprobs, as vLLM, and a sequence_id
  POST /generate              input_ids, return_logprob, as SGLang
  GET  /stats /ledger         what it was asked; every call as it was sampled
  POST /policy                {"version": "2"}: other weights from now on

Examples:
  Rollouts whose token ids and log-probabilities are kept:
    $ longrun model serve-scripted --port 8100
    $ longrun evaluate tblite --model demo --base-url http://127.0.0.1:8100/v1 --token-api chat
  Prompts of ids, with its own tokenizer:
    $ longrun model serve-scripted --port 8100 --write-tokenizer ./tokenizer
    $ longrun evaluate tblite --model demo --base-url http://127.0.0.1:8100/v1 --token-api vllm --tokenizer ./tokenizer
  One call in ten is refused, and the first try of the calls with seed 7 is cut:
    $ longrun model serve-scripted --fail rate-limit:0.1 --fail cut@7

Exit codes: 0 stopped by Ctrl-C, 1 error, 2 bad input.
`;

const collect = (value: string, previous: string[] | undefined): string[] => [...(previous ?? []), value];

/** `longrun model serve-scripted`. */
export function serveScriptedCommand(io: CliIo): Command {
  return new Command('serve-scripted')
    .description(
      'A policy of scripts behind an OpenAI-compatible endpoint, for tests and demos; it is no model.',
    )
    .option('--port <port>', 'On the loopback interface; 0 = a free one', '8100')
    .option('--seed <n>', 'Of its weights, and of requests without a seed', '0')
    .option('--tokenizer <folder>', 'Whose ids it samples; by default a small tokenizer of its own')
    .option('--write-tokenizer <folder>', 'Write its own tokenizer there, for --tokenizer of a run')
    .option(
      '--family <family>',
      'Write tool calls as this model family does; by default as the chat template does',
    )
    .option(
      '--scripts <file>',
      'JSON list of scripts for tasks of your own, besides those of the built-in ones',
    )
    .option('--usual-bias <logits>', 'How much likelier the usual spelling is; 30 = never another one', '6')
    .option('--policy-version <version>', 'As which it answers', '0')
    .addOption(
      new Option('--fail <rule>', 'What goes wrong: see below; may be given several times').argParser(
        collect,
      ),
    )
    .option('--retry-after <seconds>', 'Told with 429', '1')
    .option('--json', 'Its address as one JSON document on standard output')
    .addHelpText('after', FAILURES)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: ServeScriptedFlags) => {
      const { serveScripted } = await import('./run.js');
      await serveScripted(flags, io);
    });
}

const FAILURES = `
Rules of --fail: rate-limit, error, stall, cut, malformed, wrong-ids or no-ids, for all calls or with :<share>,
@<seed> or @<seed>.<turn> behind it; the latter two fail the first try. A caller asks by the header x-longrun-fail.
`;
