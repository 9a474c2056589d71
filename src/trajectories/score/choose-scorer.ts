import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { badInput } from '../../core/errors.js';
import { MINUTE_MS } from '../../core/time.js';
import { resolveEndpoint } from '../../model/endpoint.js';
import { isScripted, type ModelConfig, ModelRegistry } from '../../model/index.js';
import { ClassifierScorer } from './classifier-scorer.js';
import { CommandScorer } from './command-scorer.js';
import { JudgeScorer } from './judge-scorer.js';
import type { Rubric } from './rubric.js';
import type { Scorer } from './scorer.js';

export interface ScorerSettings {
  /** PATH, NAME or URL. */
  rewardModel: string;
  baseUrl: string | null;
  /** Variables with their keys, or `none`. */
  judgeKeyEnv: string;
  classifierKeyEnv: string;
  rubric: Rubric;
  /** Of judges, in dollars per million tokens, by model. */
  prices: ModelConfig['prices'];
  concurrency: number;
  batch: number;
  timeoutMs: number | null;
  env: NodeJS.ProcessEnv;
  now: () => number;
}

const REQUEST_TIMEOUT_MS = 5 * MINUTE_MS;
/** A command may load its weights first, and may read everything before it answers. */
const COMMAND_TIMEOUT_MS = 30 * MINUTE_MS;
const WEIGHTS = new Set(['.ckpt', '.pt', '.pth', '.bin', '.safetensors', '.gguf', '.onnx', '.pkl', '.h5']);
const WRAP =
  'longrun loads no weights itself: serve them (for example with vLLM) and give the URL, or name a program that reads JSON lines and writes scores; docs/rewards.md has one of ten lines.';

/**
 * The reward model that a name stands for: an address is a classifier; a path, or a line with arguments, a
 * local command; anything else the name of a judge. Throws `bad_input`, `model_key_missing`.
 */
export async function chooseScorer(settings: ScorerSettings): Promise<Scorer> {
  const { rewardModel } = settings;
  if (/^https?:\/\//i.test(rewardModel)) return classifier(settings);
  if (/\s/.test(rewardModel.trim())) return command(settings, ['/bin/sh', '-c', rewardModel], rewardModel);
  if (await isPath(rewardModel)) return file(settings);
  if (isScripted(rewardModel))
    throw badInput(
      `--reward-model: ${rewardModel} plays agents and judges nothing.`,
      'A program of a few lines stands in for a reward model: docs/rewards.md has one.',
    );
  return judge(settings);
}

function classifier({
  rewardModel,
  classifierKeyEnv,
  batch,
  concurrency,
  timeoutMs,
  env,
  now,
}: ScorerSettings): Scorer {
  if (!URL.canParse(rewardModel)) throw badInput(`--reward-model: "${rewardModel}" is no address.`);
  const endpoint = resolveEndpoint({ baseUrl: rewardModel, apiKeyEnv: classifierKeyEnv }, env);
  return new ClassifierScorer({
    endpoint,
    env,
    batch,
    concurrency,
    timeoutMs: timeoutMs ?? REQUEST_TIMEOUT_MS,
    now,
  });
}

function judge({
  rewardModel,
  baseUrl,
  judgeKeyEnv,
  rubric,
  prices,
  concurrency,
  timeoutMs,
  env,
}: ScorerSettings): Scorer {
  const registry = new ModelRegistry({ scripts: [], env });
  const config = {
    model: rewardModel,
    baseUrl,
    apiKeyEnv: judgeKeyEnv,
    contextWindow: null,
    prices,
  };
  return new JudgeScorer({
    model: rewardModel,
    baseUrl,
    client: registry.client(config),
    rubric,
    concurrency,
    timeoutMs: timeoutMs ?? REQUEST_TIMEOUT_MS,
    close: () => registry.close(),
  });
}

async function file(settings: ScorerSettings): Promise<Scorer> {
  const path = resolve(expandHome(settings.rewardModel));
  const found = await stat(path).catch(() => null);
  if (!found)
    throw badInput(`--reward-model: there is no file ${path}.`, 'A name without slashes is a model.');
  if (found.isDirectory()) throw badInput(`--reward-model: ${path} is a folder.`, WRAP);
  const executable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!executable) {
    const isWeights = WEIGHTS.has(extname(path).toLowerCase());
    throw badInput(
      `--reward-model: ${path} cannot be run${isWeights ? ': it is a file of weights' : ''}.`,
      isWeights ? WRAP : `chmod +x it, or name what runs it: --reward-model "python3 ${basename(path)}".`,
    );
  }
  return command(settings, [path], await digestOf(path));
}

function command(
  { rewardModel, timeoutMs, env }: ScorerSettings,
  argv: readonly [string, ...string[]],
  version: string,
): Scorer {
  return new CommandScorer({
    name: rewardModel,
    argv,
    version,
    env,
    timeoutMs: timeoutMs ?? COMMAND_TIMEOUT_MS,
  });
}

/** Model names have slashes too, so only what is written as a path is one, or what is there. */
async function isPath(name: string): Promise<boolean> {
  if (/^(\/|~\/|\.{1,2}\/)/.test(name) || WEIGHTS.has(extname(name).toLowerCase())) return true;
  return (await stat(name).catch(() => null))?.isFile() ?? false;
}

const expandHome = (path: string): string => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
