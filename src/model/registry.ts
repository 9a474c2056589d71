import { LongrunError } from '../core/errors.js';
import type { Kept } from '../core/held/kept.js';
import { SharedByRuns } from '../core/held/shared-by-runs.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import type { Clock } from '../core/time.js';
import { sendsIds, type TokenSettings } from './check-token-api.js';
import { DEFAULT_BASE_URL, type Endpoint, isLoopback, resolveEndpoint } from './endpoint.js';
import type { ModelClient } from './model-client.js';
import { type ModelFacts, modelFacts } from './model-table.js';
import { OpenAIClient } from './openai/openai-client.js';
import { priceOf } from './prices.js';
import type { TaskScript } from './scripted/script.js';
import { isScripted, parseScriptedName } from './scripted/scripted-name.js';
import { ScriptedServer } from './scripted/scripted-server.js';
import { completionsWire } from './token-client/completions-wire.js';
import { sglangWire } from './token-client/sglang-wire.js';
import { TokenClient } from './token-client/token-client.js';

/** The settings of a run that choose its model. */
export type ModelConfig = Pick<RunConfig, 'model' | 'baseUrl' | 'apiKeyEnv' | 'contextWindow' | 'prices'> &
  Partial<TokenSettings>;

type Client = OpenAIClient | TokenClient;

export interface ModelDependencies {
  /** How scripted models behave, by task. */
  scripts: readonly TaskScript[];
  env: Readonly<Record<string, string | undefined>>;
  now?: Clock;
}

const SCRIPTED_FACTS: ModelFacts = {
  contextWindow: 131_072,
  maxOutput: 4_096,
  price: { input: 0, cachedInput: 0, output: 0 },
};

/**
 * The model clients of one process: one per model and endpoint, so that connections are kept, and
 * one server behind all scripted models.
 */
export class ModelRegistry {
  private readonly clients = new SharedByRuns<Client>((client) => client.close());
  private readonly scripted: ScriptedServer;

  constructor(private readonly deps: ModelDependencies) {
    this.scripted = new ScriptedServer(deps.scripts);
  }

  /** Clients with their connections and tokenizers: each is closed with the last run that uses it. */
  get kept(): Kept {
    return this.clients;
  }

  /**
   * The client for a model; without the id of a run it is kept until the registry is closed. Throws `model_unknown`
   * and `model_key_missing` before anything is sent.
   */
  client(config: ModelConfig, runId: string | null = null): ModelClient {
    const key = JSON.stringify([
      config.model,
      config.baseUrl,
      config.apiKeyEnv,
      config.contextWindow,
      config.prices,
      config.tokenApi ?? 'none',
      config.tokenizer ?? null,
    ]);
    return this.clients.of(key, runId, () => this.make(requireModel(config), config));
  }

  async close(): Promise<void> {
    await this.clients.close();
    await this.scripted.close();
  }

  private make(model: string, config: ModelConfig): Client {
    if (isScripted(model)) return this.makeScripted(model, config);
    const endpoint = resolveEndpoint(config, this.deps.env);
    const facts = modelFacts(model);
    const terms = {
      price: priceOf(model, config.prices, { locally: isLoopback(config.baseUrl ?? DEFAULT_BASE_URL) }),
      priceIsSet: Object.hasOwn(config.prices, model),
      contextWindow: knownContextWindow(config),
      maxOutput: facts?.maxOutput ?? null,
    };
    const { tokenApi = 'none', tokenizer = null } = config;
    const common = { ...terms, env: this.deps.env, now: this.deps.now ?? Date.now };
    if (!sendsIds(tokenApi) || tokenizer === null)
      return new OpenAIClient({
        ...common,
        endpoint: async () => endpoint,
        sampledTokens: tokenApi === 'chat',
      });
    const wire = tokenApi === 'sglang' ? sglangWire : completionsWire;
    return new TokenClient({ ...common, endpoint, wire, tokenApi, tokenizer: () => openLater(tokenizer) });
  }

  private makeScripted(model: string, config: ModelConfig): OpenAIClient {
    parseScriptedName(model);
    const endpoint = async (): Promise<Endpoint> => ({
      baseUrl: await this.scripted.baseUrl(),
      apiKey: null,
      loopback: true,
    });
    return new OpenAIClient({
      endpoint,
      env: this.deps.env,
      price: config.prices[model] ?? SCRIPTED_FACTS.price,
      priceIsSet: Object.hasOwn(config.prices, model),
      contextWindow: knownContextWindow(config),
      maxOutput: SCRIPTED_FACTS.maxOutput,
      now: this.deps.now ?? Date.now,
    });
  }
}

/** The libraries are heavy, and most runs need none. */
async function openLater(folder: string) {
  const { openTokenizer } = await import('./tokenizer/open-tokenizer.js');
  return openTokenizer(folder, '--tokenizer');
}

/** The context window of a run's model as far as it is known, asking nobody and without its key. */
export function knownContextWindow({
  model,
  contextWindow,
}: Pick<ModelConfig, 'model' | 'contextWindow'>): number | null {
  if (contextWindow !== null || model === null) return contextWindow;
  return (isScripted(model) ? SCRIPTED_FACTS : modelFacts(model))?.contextWindow ?? null;
}

/** The model of a run. Throws `bad_input` when none was given. */
export function requireModel(config: Pick<ModelConfig, 'model'>): string {
  if (config.model !== null) return config.model;
  throw new LongrunError('bad_input', 'The tool-calling agent needs a model', {
    hint: 'Give one with --model, for example --model scripted/demo for a look without an API key',
    exitCode: 2,
  });
}
