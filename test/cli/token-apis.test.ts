import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import {
  type FailureRule,
  type LedgerEntry,
  ownTokenizerFiles,
  type Policy,
  type PolicyServer,
} from '../../src/model/policy-server/index.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { startPolicyServer } from '../support/policy-server.js';
import { longrun } from './support/longrun.js';

/** Looks, thinks, says something useless, writes the answer where its seed is even, and ends. */
const policy: Policy = ({ seed, turn }) => {
  const terminal = (command: string) => [{ name: 'terminal', arguments: { command } }];
  const turns = [
    { content: 'I look around.', toolCalls: terminal('ls -la "/app"') },
    { reasoning: 'It is a file: naïve, 漢字.', toolCalls: terminal('pwd') },
    { toolCalls: terminal(seed % 2 === 0 ? 'echo done > /app/answer' : 'echo "undone" > /app/other') },
  ];
  return turns[turn] ?? { toolCalls: [{ name: 'finish', arguments: { summary: 'Done.' } }] };
};

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

interface Datum {
  model_input: { chunks: { tokens: number[] }[] };
  loss_fn_inputs: Record<'target_tokens' | 'advantages' | 'logprobs', { data: number[] }>;
  model_input_spans?: unknown[];
}

/** The ids of a datum that are trained, and their log-probabilities. */
function trainedOf({ model_input, loss_fn_inputs: inputs }: Datum) {
  const ids = [...(model_input.chunks[0]?.tokens ?? []), inputs.target_tokens.data.at(-1)];
  const positions = inputs.advantages.data.flatMap((advantage, i) => (advantage === 0 ? [] : [i]));
  return { ids: positions.map((i) => ids[i + 1]), lp: positions.map((i) => inputs.logprobs.data[i]) };
}

const SAMPLES = 2;

describe('what is trained on is exactly what was sampled', () => {
  let host: LongrunHost;
  let folder: string;
  const servers: PolicyServer[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longrun-token-apis-'));
    const { tokenizer, config, template } = ownTokenizerFiles();
    await writeFile(join(folder, 'tokenizer.json'), tokenizer);
    await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
    await writeFile(join(folder, 'chat_template.jinja'), template as string);
    host = await LongrunHost.start();
    await host.startWorker();
  });
  afterAll(async () => {
    await host.stop();
    for (const server of servers) await server.close();
    await rm(folder, { recursive: true });
  });

  /** A run of one task against a server of its own, and its export for Tinker. */
  async function trained(runId: string, config: Partial<RunConfig>, failures: readonly FailureRule[] = []) {
    const server = await startPolicyServer({ policy, usualBias: 0, policyVersion: 'v4', failures });
    servers.push(server);
    const task = await inlineTask({ taskId: 'answer', test: answerTest('done'), instruction: 'Do it.' });
    await host.plan(runId, [task], {
      ...{ agent: 'tool-calling', model: 'demo', baseUrl: server.baseUrl, samples: SAMPLES, seed: 0 },
      ...{ maxTokens: 2_000, ...config },
    });
    const { rollouts } = await host.finish(runId);
    expect(rollouts.map(({ reward }) => reward).toSorted()).toEqual([0, 1]);
    const path = join(folder, `${runId}.jsonl`);
    const command = ['traj', 'export', runId, '--format', 'tinker', '--output', path];
    expect(await longrun(command, { LONGRUN_HOME: host.stateDir })).toMatchObject({ code: 0 });
    const metas = linesOf(path.replace('.jsonl', '.meta.jsonl'));
    const good = server.ledger.entries.filter(({ failure }) => failure === null);
    const ledger = good.toSorted((a, b) => a.seed - b.seed || a.turn - b.turn);
    return { datums: linesOf(path) as Datum[], metas, ledger, server };
  }

  const stretches = (ledger: readonly LedgerEntry[]) => ({
    ids: ledger.flatMap(({ tokenIds }) => tokenIds),
    lp: ledger.flatMap(({ logprobs }) => logprobs),
  });
  const joined = (datums: readonly Datum[]) => ({
    ids: datums.flatMap((datum) => trainedOf(datum).ids),
    lp: datums.flatMap((datum) => trainedOf(datum).lp),
  });

  it.each(['vllm', 'sglang', 'tinker'] as const)(
    'by ids on %s: one sequence for each rollout, however its answers were spelled',
    async (tokenApi) => {
      const { datums, metas, ledger } = await trained(tokenApi, { tokenApi, tokenizer: folder });
      expect(ledger.map(({ api }) => api)).toEqual(
        Array(8).fill(tokenApi === 'sglang' ? 'generate' : 'completions'),
      );
      expect(datums).toHaveLength(SAMPLES);
      for (const [sample, datum] of datums.entries()) {
        const sampled = ledger.filter(({ seed }) => seed === sample);
        expect(trainedOf(datum)).toEqual(stretches(sampled));
        const last = sampled.at(-1) as LedgerEntry;
        const whole = [...last.promptTokenIds, ...last.tokenIds];
        expect(datum.model_input.chunks[0]?.tokens).toEqual(whole.slice(0, -1));
      }
      expect(metas.map(({ policy_versions: versions }) => versions)).toEqual([['v4'], ['v4']]);
      expect(
        datums.every(({ model_input_spans: spans }) => (spans === undefined) === (tokenApi === 'sglang')),
      ).toBe(true);
    },
  );

  it('by chat: a new sequence wherever the endpoint rendered an answer otherwise than it was sampled', async () => {
    const { datums, ledger } = await trained('chat', { tokenApi: 'chat' });
    expect(datums.length).toBeGreaterThan(SAMPLES);
    expect(joined(datums)).toEqual(stretches(ledger));
  });

  it('also where answers fail, are cut or tell wrong ids on the way', async () => {
    const fail = (kind: 'error' | 'cut' | 'wrong-ids', seed: number, turn: number) => ({
      kind,
      share: 1,
      seed,
      turn,
    });
    const failures = [
      fail('error', 0, 1),
      fail('cut', 0, 2),
      fail('wrong-ids', 1, 0),
      fail('wrong-ids', 1, 3),
    ];
    const config = { tokenApi: 'vllm', tokenizer: folder } as const;
    const { datums, ledger, server } = await trained('failing', config, failures);
    expect(server.ledger.stats().failures).toEqual({ error: 1, cut: 1, 'wrong-ids': 2 });
    expect(datums).toHaveLength(SAMPLES);
    expect(joined(datums)).toEqual(stretches(ledger));
  });

  it.each([
    ['no-ids', 1],
    ['wrong-ids', 3],
  ] as const)(
    'and nothing is where an endpoint answers with %s for ever: it is given up after %d',
    async (kind, tries) => {
      const failures = [{ kind, share: 1, seed: null, turn: null }];
      const server = await startPolicyServer({ policy, failures });
      servers.push(server);
      const task = await inlineTask({ taskId: 'answer', test: answerTest('done') });
      const { baseUrl } = server;
      await host.plan(kind, [task], { agent: 'tool-calling', model: 'demo', baseUrl, tokenApi: 'chat' });
      const { rollouts } = await host.finish(kind);
      expect(rollouts).toMatchObject([
        { stopReason: 'llm_error', reward: null, failedCalls: tries, turns: 0 },
      ]);
      expect(rollouts[0]?.failure).toMatchObject({ code: 'model_tokens_invalid', retryable: false });
      expect(server.ledger.stats()).toMatchObject({ requests: tries });
    },
  );
});
