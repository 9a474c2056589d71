import type { RunRecord } from '../../store/records/records.schema.js';

/** `openai/gpt-5` is provider and name, as Harbor splits it; null for agents that use no model. */
export function modelInfo(run: RunRecord): { name: string; provider: string | null } | null {
  const { agent, model } = run.config;
  if (agent !== 'tool-calling' || model === null) return null;
  const slash = model.indexOf('/');
  return slash < 0
    ? { name: model, provider: null }
    : { name: model.slice(slash + 1), provider: model.slice(0, slash) };
}

/** Harbor knows `oracle` and `nop` by these names; our own agent goes by the project's. */
export function agentName(run: RunRecord): string {
  return run.config.agent === 'tool-calling' ? 'longrun' : run.config.agent;
}
