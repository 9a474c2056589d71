import type { AgentContext } from '../agent/agent.js';
import { agentFor } from '../agent/index.js';
import { LongrunError } from '../core/errors.js';
import { keys } from '../store/keys.js';
import { readChildren } from '../store/records.js';
import { summaryRecordSchema } from '../store/records.schema.js';
import { agentContextOf } from './agent-context.js';
import type { AttemptContext } from './attempt-context.js';
import { runOracle } from './run-oracle.js';
import { earlierCallIds, readStepHistory } from './step-history.js';
import { type LoopEnd, takeTurns } from './turn-loop.js';

/** Runs the agent's part of a step until it ends (answers why) or the slice is over (answers null). */
export function runAgent(context: AttemptContext, untilMs: number): Promise<LoopEnd | null> {
  switch (context.run.config.agent) {
    case 'nop':
      return Promise.resolve({ stopReason: 'natural', failure: null });
    case 'oracle':
      return runOracle(context);
    case 'tool-calling':
      return runToolCalling(context, untilMs);
  }
}

async function runToolCalling(context: AttemptContext, untilMs: number): Promise<LoopEnd | null> {
  const { deps, key, run, task, step } = context;
  const environment = deps.environmentOf(run);
  const client = deps.modelOf(run);
  const [history, budget, summary, earlierIds] = await Promise.all([
    readStepHistory(deps.store, key, step),
    deps.budgets.of(key, run.config),
    newestSummary(context),
    earlierCallIds(deps.store, key, step),
  ]);
  const agent = agentFor(run.config);
  if (agent === null) throw new LongrunError('internal', `agent ${run.config.agent} takes no turns`);
  const contextWindow = run.config.contextWindow ?? client.contextWindow();
  const agentContext = { ...agentContextOf(environment, run, task, step), contextWindow, summary };
  return takeTurns({ context, agent, agentContext, client, budget, history, earlierIds }, untilMs);
}

async function newestSummary({ deps, key, step, run }: AttemptContext): Promise<AgentContext['summary']> {
  if (run.config.contextPolicy !== 'summarise') return null;
  const found = await readChildren(deps.store, summaryRecordSchema, keys.turns(key, step), 'summary.json');
  const newest = found.at(-1)?.value;
  return newest ? { throughTurn: newest.throughTurn, content: newest.call.message.content } : null;
}
