import { LongrunError } from '../core/errors.js';
import { closest } from '../core/text/closest.js';
import { SECOND_MS } from '../core/time.js';
import { checkTokenApi } from './check-token-api.js';
import { type Endpoint, publicUrl, resolveEndpoint } from './endpoint.js';
import { callFailure } from './openai/call-failure.js';
import { openConnection } from './openai/connection.js';
import { type ModelConfig, requireModel } from './registry.js';
import { isScripted, parseScriptedName } from './scripted/scripted-name.js';

const CHECK_TIMEOUT_MS = 10 * SECOND_MS;
const SHOWN_MODELS = 5;

/**
 * Whether a run could start with this model: its name, key and endpoint, without paying for a call.
 * Errors: `bad_input` (no model), `model_unknown`, `model_key_missing`, `model_unavailable`, `model_rejected`.
 */
export async function checkModel(
  config: ModelConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const model = requireModel(config);
  await checkTokenApi(model, config);
  if (isScripted(model)) {
    parseScriptedName(model);
    return;
  }
  const endpoint = resolveEndpoint(config, env);
  const connection = await openConnection(endpoint.loopback, env);
  try {
    const served = await listModels(endpoint, model, connection.fetch);
    if (served !== null) requireServed(model, served, endpoint);
  } finally {
    await connection.close();
  }
}

/** Ids of the models that the endpoint lists; null when it keeps no list. */
async function listModels(endpoint: Endpoint, model: string, fetch: typeof globalThis.fetch) {
  const deadline = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const call = { endpoint, request: { model, timeoutMs: CHECK_TIMEOUT_MS } };
  try {
    const headers = new Headers();
    if (endpoint.apiKey !== null) headers.set('authorization', `Bearer ${endpoint.apiKey}`);
    const response = await fetch(`${endpoint.baseUrl}/models`, { headers, signal: deadline });
    const body: unknown = await response.json().catch(() => null);
    if (response.status === 404 || response.status === 405) return null;
    if (response.ok) return modelIds(body);
    const error = (body as { error?: unknown } | null)?.error ?? response.statusText;
    throw callFailure(
      { status: response.status, error, headers: response.headers },
      { ...call, timedOut: false, now: Date.now() },
    );
  } catch (error) {
    throw callFailure(error, { ...call, timedOut: deadline.aborted, now: Date.now() });
  }
}

function modelIds(body: unknown): string[] | null {
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return null;
  const ids = data.map((entry) => (entry as { id?: unknown } | null)?.id);
  return ids.filter((id): id is string => typeof id === 'string');
}

/** A list with the model, a wildcard or nothing at all is no objection; `name:variant` counts as `name`. */
function requireServed(model: string, served: string[], endpoint: Endpoint): void {
  const plain = model.replace(/:[^/:]*$/, '');
  const listed = served.some((id) => id === model || id === plain || id === `models/${model}`);
  if (listed || served.length === 0 || served.some((id) => id.includes('*'))) return;
  const near = closest(model, served);
  const some = served.slice(0, SHOWN_MODELS).join(', ') + (served.length > SHOWN_MODELS ? ', …' : '');
  throw new LongrunError('model_unknown', `${publicUrl(endpoint.baseUrl)} serves no model "${model}"`, {
    hint: near === null ? `It serves ${some}` : `Did you mean ${near}?`,
    exitCode: 2,
  });
}
