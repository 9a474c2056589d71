import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SamplingTokenizer, TemplateValue } from '../../core/model/chat-tokenizer.js';
import { turnPosition } from '../scripted/turn-position.js';
import type { Answered } from './answered.js';
import type { FailureKind } from './failure-plan.js';
import type { LedgerEntry } from './ledger.js';
import { mix, mixText } from './mix.js';
import { type Policy, spokenText } from './policy.js';
import { certain, SpellingSampler } from './sampler.js';
import type { ChatRequest } from './wire-request.js';

export interface PolicyModelOptions {
  tokenizer: SamplingTokenizer;
  policy: Policy;
  /** Of the weights; and what requests without a seed are drawn with. */
  seed: number;
  usualBias: number;
  /** Writes calls as this family does; null = as the chat template does. */
  family: string | null;
}

/** One call, whatever API it came by. */
export interface PolicyCall {
  api: LedgerEntry['api'];
  callId: string | null;
  model: string;
  prompt: readonly number[];
  turn: number;
  task: string;
  tools: boolean;
  seed: number;
  temperature: number;
  /** Null: as much as it takes. */
  maxTokens: number | null;
}

/** Renders prompts and samples answers; the same one for the same prompt, seed, temperature and version. */
export class PolicyModel {
  private readonly sampler: SpellingSampler;
  private readonly generationPrompt: string;

  constructor(private readonly options: PolicyModelOptions) {
    this.sampler = new SpellingSampler(options.tokenizer);
    const render = (generationPrompt: boolean) =>
      options.tokenizer.render([{ role: 'user', content: '?' }], { tools: [], generationPrompt, now: 0 });
    this.generationPrompt = render(true).slice(render(false).length);
  }

  get seed(): number {
    return this.options.seed;
  }

  encode(text: string): number[] {
    return this.options.tokenizer.encode(text);
  }

  /** The prompt of a chat request, and what is known of it. */
  renderChat(request: ChatRequest, turnHeader: string | undefined) {
    const messages = request.messages.map(templateValue);
    const tools = (request.tools ?? []) as TemplateValue[];
    const text = this.options.tokenizer.render(messages, { tools, generationPrompt: true, now: 0 });
    return {
      prompt: this.encode(text),
      turn: turnPosition(request.messages, turnHeader),
      task: request.messages.find(({ role }) => role === 'user')?.content ?? '',
      tools: tools.length > 0,
    };
  }

  /** What is known of a prompt that was rendered elsewhere. */
  readPrompt(prompt: readonly number[], turnHeader: string | undefined) {
    const text = this.options.tokenizer.decode(prompt);
    const marks = this.generationPrompt === '' ? 1 : text.split(this.generationPrompt).length - 1;
    const turn =
      turnHeader !== undefined && /^\d{1,6}$/.test(turnHeader) ? Number(turnHeader) : Math.max(0, marks - 1);
    return { turn, task: text, tools: true };
  }

  async answer(call: PolicyCall, policyVersion: string, failure: FailureKind | null): Promise<Answered> {
    const { tokenizer, policy, family, usualBias, seed: weightsSeed } = this.options;
    const { prompt, seed, temperature, maxTokens, turn } = call;
    const said = await policy(call);
    if (said.delayMs) await sleep(said.delayMs, undefined, { ref: false });
    const weights = mixText(mix(0, weightsSeed), policyVersion);
    const options = { prompt, seed, temperature, weights, usualBias: said.usualBias ?? usualBias };
    const whole = this.sampler.sample(spokenText(said, turn, tokenizer, family), options);
    if (tokenizer.endOfTurn !== null) whole.push(...tokenizer.encode(tokenizer.endOfTurn).map(certain));
    const tokens = maxTokens === null ? whole : whole.slice(0, maxTokens);
    const cut = tokens.length < whole.length || said.finishReason === 'length';
    const told = { 'wrong-ids': 'one-id-missing', 'no-ids': 'not' } as const;
    return {
      model: call.model,
      turn,
      said,
      prompt,
      tokens,
      text: tokenizer.decode(tokens.filter(({ id }) => !tokenizer.stopIds.has(id)).map(({ id }) => id)),
      finishReason: cut ? 'length' : 'stop',
      sequenceId: sequenceId(call, policyVersion),
      policyVersion,
      told: failure === 'wrong-ids' || failure === 'no-ids' ? told[failure] : 'truly',
      textOf: (id) => tokenizer.decode([id]),
    };
  }
}

function sequenceId({ prompt, seed, temperature, model }: PolicyCall, policyVersion: string): string {
  const what = JSON.stringify([model, prompt, seed, temperature, policyVersion]);
  return `seq-${createHash('sha256').update(what).digest('hex').slice(0, 24)}`;
}

/** Chat templates want the arguments of calls as objects. */
function templateValue(message: ChatRequest['messages'][number]): TemplateValue {
  const { tool_calls: calls } = message;
  if (!calls) return message;
  return { ...message, tool_calls: calls.map((call) => ({ ...call, function: called(call.function) })) };
}

function called(value: unknown): unknown {
  const { name, arguments: text } = value as { name?: unknown; arguments?: unknown };
  try {
    return { name, arguments: typeof text === 'string' ? JSON.parse(text) : text };
  } catch {
    return { name, arguments: text };
  }
}
